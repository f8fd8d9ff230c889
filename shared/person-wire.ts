import { z } from 'zod'
import { EvidencePiece } from './evidence-piece.ts'
import { Lasting, SiteChoice } from './policy.ts'
import { Status } from './status.ts'
import { method } from './wire-method.ts'

/** Extension → companion: what the person's side asks. */
export const PERSON_WIRE = {
  'person.status': method({
    doc: 'The state record that doctor, health and popup share.',
    effect: 'read',
    params: z.strictObject({}),
    result: Status,
  }),
  'person.stop': method({
    doc: 'Stop one running operation, or every one of this profile.',
    effect: 'write',
    params: z.strictObject({ run_id: z.string().optional() }),
    result: z.object({ stopped: z.number().int() }),
  }),
  'person.answer': method({
    doc: 'Answer an approval that waits.',
    effect: 'write',
    params: z.strictObject({
      id: z.string(),
      allow: z.boolean(),
      lasts: Lasting.default('once'),
      reply: z.string().max(2000).optional(),
    }),
    result: z.object({ answered: z.boolean() }),
  }),
  'person.evidence': method({
    doc: 'What a run left behind, as a panel shows it.',
    effect: 'read',
    params: z.strictObject({ run_id: z.string() }),
    result: z.object({ evidence: z.array(EvidencePiece) }),
  }),
  'person.pause': method({
    doc: 'Hold everything back that is not running yet, or let it go on.',
    effect: 'write',
    params: z.strictObject({ paused: z.boolean() }),
    result: z.object({ paused: z.boolean() }),
  }),
  'person.site': method({
    doc: 'Say for good whether agents may use a site, or take back what was said of it.',
    effect: 'write',
    params: z.strictObject({ site: z.string().min(1).max(300), word: SiteChoice }),
    result: z.object({ site: z.string() }),
  }),
} as const
export type PersonMethod = keyof typeof PERSON_WIRE
export type PersonParams<M extends PersonMethod> = z.infer<(typeof PERSON_WIRE)[M]['params']>
export type PersonResult<M extends PersonMethod> = z.infer<(typeof PERSON_WIRE)[M]['result']>
