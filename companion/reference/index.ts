import { adapterSchema } from './adapter.ts'
import { cliPage } from './cli.ts'
import { envelopeSchema } from './envelope.ts'
import { expressionsPage } from './expressions.ts'
import { failuresPage } from './failures.ts'
import { stepsPage } from './steps.ts'
import { wirePage } from './wire.ts'

/** A file that nobody edits: `npm run gen` writes it, `npm run check` fails when it is stale. */
export interface GeneratedFile {
  /** Below docs/reference/. */
  file: string
  make(): string
}

export const GENERATED: readonly GeneratedFile[] = [
  { file: 'cli.md', make: cliPage },
  { file: 'steps.md', make: stepsPage },
  { file: 'expressions.md', make: expressionsPage },
  { file: 'failures.md', make: failuresPage },
  { file: 'wire.md', make: wirePage },
  { file: 'adapter.schema.json', make: adapterSchema },
  { file: 'envelope.schema.json', make: envelopeSchema },
]
