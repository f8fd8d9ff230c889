import { z } from 'zod'
import { Evidence } from './envelope.ts'

/** A piece of what a run left behind, as the person sees it in a panel. */
export const EvidencePiece = Evidence.pick({ kind: true, id: true, bytes: true }).extend({
  /** A data: address; null for what is no picture, or too large a one. */
  picture: z.string().nullable(),
  /** The beginning of a text; null for what is none. */
  text: z.string().nullable(),
})
export type EvidencePiece = z.infer<typeof EvidencePiece>
