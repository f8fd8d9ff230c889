import type { z } from 'zod'
import { PERSON_WIRE } from '../../shared/person-wire.ts'
import { CAPABILITIES, WIRE, WIRE_EVENTS } from '../../shared/wire.ts'
import { schemaOf, typeText } from './json-schema.ts'
import { code, page, table } from './page.ts'

interface Method {
  doc: string
  effect: string
  params: z.ZodType
  result: z.ZodType
}

export const wirePage = (): string =>
  page(
    'The wire between companion and extension',
    'What crosses native messaging, as `shared/wire.ts` declares it. A read whose answer was lost may be asked ' +
      'again; a write whose answer was lost ends as `outcome_unknown`.',
    '## Companion to extension',
    methods(WIRE),
    '## Extension to companion',
    methods(PERSON_WIRE),
    '## Events',
    table(
      ['event', 'data'],
      Object.entries(WIRE_EVENTS).map(([name, data]) => [code(name), shape(data)]),
    ),
    '## Capabilities',
    `Hello lists those that the extension has: ${CAPABILITIES.map(code).join(', ')}.`,
  )

const methods = (wire: Record<string, Method>): string =>
  table(
    ['method', 'effect', 'what it does', 'params', 'result'],
    Object.entries(wire).map(([name, method]) => [
      code(name),
      method.effect,
      method.doc,
      shape(method.params),
      shape(method.result),
    ]),
  )

const shape = (schema: z.ZodType): string => code(typeText(schemaOf(schema)))
