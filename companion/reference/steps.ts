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
    ...(step.aliases ? [`Also called ${step.aliases.map(code).join(', ')}.`] : []),
    ...(forms.length > 0
      ? [
          `${form === null ? 'Takes' : 'Short form:'} ${forms.map(each => code(typeText(each))).join(' or ')}.`,
        ]
      : []),
    ...(rows.length > 0 ? [table(['option', 'type', 'default', ''], rows)] : []),
    `\`\`\`yaml\n${stringify([{ [step.name]: step.example }], { lineWidth: 0 })}\`\`\``,
    ...workedExample(step),
  ]
}

const MAX_SHOWN = 400

/** What the example makes of what; left out where the data passes on as it came. */
function workedExample({ exampleInput, exampleOutput }: AnyStep): string[] {
  if (exampleOutput === undefined) return []
  const [input, output] = [shown(exampleInput), shown(exampleOutput)]
  if (input === output) return []
  return [`Of this`, `\`\`\`json\n${input}\n\`\`\``, `it makes`, `\`\`\`json\n${output}\n\`\`\``]
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}

function optionRow(name: string, json: ReturnType<typeof schemaOf>, schema: AnyStep['schema']): string[] {
  const isOptional = schema.safeParse(undefined).success
  const byDefault =
    json.default === undefined ? (isOptional ? '' : 'required') : code(JSON.stringify(json.default))
  return [code(name), code(typeText(json)), byDefault, json.description ?? '']
}
