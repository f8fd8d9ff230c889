import { z } from 'zod'
import { Envelope, ErrorInfo } from '../../shared/envelope.ts'
import { FAILURES } from '../../shared/failures.ts'
import { json } from './page.ts'

/** The published JSON Schema (draft 2020-12) of every surface's answer. */
export const envelopeSchema = (): string =>
  json({
    title: 'AgentEnvelope v2',
    description: 'The one answer of every operation of unicli, success and failure alike.',
    ...z.toJSONSchema(Envelope, {
      io: 'input',
      override: ({ zodSchema, jsonSchema }) => {
        // What is written is as closed as what is read, although defaults make zod call it an input.
        if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false
        // A refinement leaves no trace in the schema; the codes are a closed list all the same.
        if (zodSchema === ErrorInfo.shape.code) jsonSchema.enum = Object.keys(FAILURES)
      },
    }),
  })
