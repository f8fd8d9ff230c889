import { objectForm } from '../kernel/schema-shape.ts'
import type { AnyStep } from '../kernel/step.ts'
import { AdapterFile } from '../library/adapter-schema.ts'
import { STEPS } from '../steps/index.ts'
import { type JsonSchema, schemaOf } from './json-schema.ts'
import { json } from './page.ts'

const PIPELINE: JsonSchema = { $ref: '#/$defs/pipeline' }
const TEMPLATE: JsonSchema = { $ref: '#/$defs/template' }

/** JSON Schema (draft 2020-12) of an adapter file, for editors and other validators. */
export function adapterSchema(): string {
  const { properties = {}, ...file } = schemaOf(AdapterFile)
  return json(
    unmarked({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'unicli adapter',
      description: 'One command of one site, as data.',
      ...file,
      properties: {
        ...properties,
        pipeline: PIPELINE,
        pipelines: {
          ...properties.pipelines,
          additionalProperties: PIPELINE,
        },
      },
      $defs: {
        pipeline: { type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } },
        step: {
          type: 'object',
          minProperties: 1,
          maxProperties: 1,
          properties: stepSchemas(),
          additionalProperties: false,
        },
        template: {
          type: 'string',
          pattern: '\\$\\{\\{[\\s\\S]*\\}\\}',
          description: 'An expression in ${{ }}, filled in before the step runs.',
        },
      },
    }),
  )
}

/** Marks of steps mean something to us only: validators refuse keywords that they do not know. */
function unmarked(schema: JsonSchema): JsonSchema {
  const { plan: _plan, expression: _expression, rendered: _rendered, ...rest } = schema
  const each = (schemas: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(schemas).map(([name, inner]) => [name, unmarked(inner)]))
  return {
    ...rest,
    ...(rest.anyOf && { anyOf: rest.anyOf.map(unmarked) }),
    ...(rest.oneOf && { oneOf: rest.oneOf.map(unmarked) }),
    ...(rest.items && { items: unmarked(rest.items) }),
    ...(rest.properties && { properties: each(rest.properties) }),
    ...(rest.$defs && { $defs: each(rest.$defs) }),
    ...(typeof rest.additionalProperties === 'object' && {
      additionalProperties: unmarked(rest.additionalProperties),
    }),
  }
}

/** One for each name; an alias leads to the step that it means. */
const stepSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    [...STEPS].map(([name, step]) => [
      name,
      name === step.name ? paramsOf(step) : { $ref: `#/$defs/step/properties/${step.name}` },
    ]),
  )

function paramsOf(step: AnyStep): JsonSchema {
  const params = templated(schemaOf(step.schema))
  // A step whose options may all be left out is also written as a bare key.
  const mayBeBare = (objectForm(step.schema) ?? step.schema).safeParse({}).success
  return {
    description: step.doc,
    anyOf: [...(params.anyOf ?? [params]), ...(mayBeBare ? [{ type: 'null' }] : [])],
  }
}

/** The same schema, in which a template may stand for any value that is filled in before the step runs. */
function templated(schema: JsonSchema): JsonSchema {
  const { plan, plans, reads, expression, rendered, ...node } = schema
  if (plan) return node.description === undefined ? PIPELINE : { description: node.description, ...PIPELINE }
  if (plans)
    return { ...node, ...(node.type === 'array' ? { items: PIPELINE } : { additionalProperties: PIPELINE }) }
  if (expression || rendered === false) return node
  const inner = withTemplatesInside(node)
  if (takesAnyText(inner)) return inner
  const { description, default: byDefault, ...bare } = inner
  return {
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: byDefault }),
    anyOf: [...(bare.anyOf && Object.keys(bare).length === 1 ? bare.anyOf : [bare]), TEMPLATE],
  }
}

function withTemplatesInside(node: JsonSchema): JsonSchema {
  const { anyOf, items, properties, additionalProperties } = node
  return {
    ...node,
    ...(anyOf && { anyOf: anyOf.map(withTemplatesInside) }),
    ...(items && { items: templated(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, templated(each)]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: templated(additionalProperties),
    }),
  }
}

function takesAnyText(node: JsonSchema): boolean {
  if (node.anyOf) return node.anyOf.some(takesAnyText)
  if ('const' in node || node.enum || node.pattern !== undefined || node.format !== undefined) return false
  return node.type === undefined || node.type === 'string'
}
