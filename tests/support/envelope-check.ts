import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'

const SCHEMA = fileURLToPath(new URL('../../docs/reference/envelope.schema.json', import.meta.url))
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(
  JSON.parse(readFileSync(SCHEMA, 'utf8')),
)

/** The envelope, once the published schema has accepted it. */
export function valid(envelope: unknown): Envelope {
  const isValid = validate(envelope)
  expect(isValid ? [] : validate.errors, JSON.stringify(envelope)).toEqual([])
  return envelope as Envelope
}

/** Its data as rows. @throws when it failed or holds no list */
export function rows(envelope: unknown): Record<string, unknown>[] {
  const { ok, data, error } = valid(envelope)
  if (!ok) throw new Error(`${error.code}: ${error.message} (${error.action})`)
  if (!Array.isArray(data)) throw new Error(`no list: ${JSON.stringify(data)}`)
  return data
}
