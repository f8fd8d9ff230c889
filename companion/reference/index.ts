import { envelopeSchema } from './envelope.ts'
import { failuresPage } from './failures.ts'
import { wirePage } from './wire.ts'

/** A file that nobody edits: `npm run gen` writes it, `npm run check` fails when it is stale. */
export interface GeneratedFile {
  /** Below docs/reference/. */
  file: string
  make(): string
}

export const GENERATED: readonly GeneratedFile[] = [
  { file: 'failures.md', make: failuresPage },
  { file: 'wire.md', make: wirePage },
  { file: 'envelope.schema.json', make: envelopeSchema },
]
