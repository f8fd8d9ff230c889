import { stringify } from 'yaml'
import { fieldsOf, objectForm } from '../kernel/schema-shape.ts'
import type { AnyStep } from '../kernel/step.ts'
import { STEPS } from '../steps/index.ts'
import { schemaOf, typeText } from './json-schema.ts'
import { code, page, table } from './page.ts'

export function stepsPage(): string {
  const steps = [...new Set(STEPS.values())].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return page(
    'Steps',
    'What the pipeline of an adapter is written with. A step gets the answer of the step before it as `data` and ' +
      'gives its own to the next. Any value may hold templates, such as `${{ args.query }}`; they are filled in ' +
      'before the step runs, but in fields of the type `expression` (written without braces) and `pipeline`.',
    table(
      ['step', 'effect', 'needs', 'what it does'],
      steps.map(({ name, effect, needs, doc }) => [
        `[${code(name)}](#${name})`,
        effect,
        needs.join(', '),
        doc,
      ]),
    ),
    ...steps.flatMap(stepBlocks),
  )
}

function stepBlocks(step: AnyStep): string[] {
  const form = objectForm(step.schema)
  const rows =
    form === null ? [] : fieldsOf(form).map(([name, schema]) => optionRow(name, schemaOf(schema), schema))
  const whole = schemaOf(step.schema)
  const forms = (whole.anyOf ?? [whole]).filter(each => form === null || each.type !== 'object')
  return [
    `## ${step.name}`,
    step.doc,
    ...(forms.length > 0
      ? [
          `${form === null ? 'Takes' : 'Short form:'} ${forms.map(each => code(typeText(each))).join(' or ')}.`,
        ]
      : []),
    ...(rows.length > 0 ? [table(['option', 'type', 'default', ''], rows)] : []),
    `\`\`\`yaml\n${stringify([{ [step.name]: step.example }], { lineWidth: 0 })}\`\`\``,
  ]
}

function optionRow(name: string, json: ReturnType<typeof schemaOf>, schema: AnyStep['schema']): string[] {
  const isOptional = schema.safeParse(undefined).success
  const byDefault =
    json.default === undefined ? (isOptional ? '' : 'required') : code(JSON.stringify(json.default))
  return [code(name), code(typeText(json)), byDefault, json.description ?? '']
}
