import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Strategy } from '../../shared/envelope.ts'

/** What a site answered to one request of a known good run. */
export const FixtureAnswer = z
  .strictObject({
    method: z.string().default('GET'),
    url: z.url(),
    status: z.int().default(200),
    headers: z.record(z.string(), z.string()).default({}).describe('names in lower case'),
    json: z.unknown().optional().describe('the body, as JSON'),
    body: z.string().optional().describe('the body, as text'),
  })
  .refine(answer => answer.json === undefined || answer.body === undefined, 'it has json or body, not both')
export type FixtureAnswer = z.infer<typeof FixtureAnswer>

/**
 * A known good run: `adapters/<site>/fixtures/<command>/<name>.json`. The file's name says what it shows. It is
 * replayed by the tests, compared with by `unicli repair`, and shows what an answer looks like.
 */
export const Fixture = z.strictObject({
  title: z.string().min(1).describe('what this run shows'),
  kind: z
    .enum(['contract', 'replay'])
    .describe('written after the document of the provider, or recorded from a live run'),
  after: z.string().min(1).describe('that document, or the software and its version'),
  args: z.record(z.string(), z.unknown()).default({}),
  strategy: Strategy.optional().describe('whose answers these are; of a command with one strategy, that one'),
  answers: z.array(FixtureAnswer).describe('in the order in which they are asked for'),
  expect: z
    .strictObject({
      rows_min: z.int().min(0).optional().describe('at least so many rows'),
      columns: z.array(z.string()).optional().describe('columns that have a value in some row'),
      data: z.unknown().optional().describe('the whole answer'),
      code: z.string().optional().describe('the failure that it ends with'),
    })
    .default({}),
})
export type Fixture = z.infer<typeof Fixture>

export interface NamedFixture extends Fixture {
  /** Absolute. */
  file: string
}

/** Why a file is no fixture. */
export class FixtureProblem extends Error {
  override readonly name = 'FixtureProblem'
  readonly file: string
  constructor(file: string, reason: string, options?: { cause: unknown }) {
    super(`${file}: ${reason}`, options)
    this.file = file
  }
}

/** The fixtures of a command in an adapters folder, sorted by name; none is an empty list. Throws FixtureProblem. */
export function readFixtures(folder: string, site: string, command: string): NamedFixture[] {
  const place = join(folder, site, 'fixtures', command)
  if (!existsSync(place)) return []
  return readdirSync(place)
    .filter(name => name.endsWith('.json'))
    .toSorted()
    .map(name => readFixture(join(place, name)))
}

function readFixture(file: string): NamedFixture {
  try {
    return { ...Fixture.parse(JSON.parse(readFileSync(file, 'utf8'))), file }
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)
    throw new FixtureProblem(file, reason, { cause })
  }
}

/** An answer's body as the site sent it. */
export const bodyOf = ({ json, body }: FixtureAnswer): string =>
  body ?? (json === undefined ? '' : JSON.stringify(json))
