import { stringify } from 'yaml'
import { z } from 'zod'
import { Failure } from '../../../../shared/failures.ts'
import { nearestName } from '../../../kernel/nearest.ts'
import type { AnyStep } from '../../../kernel/step.ts'
import type { CliCommand } from '../command.ts'
import type { Stream } from '../terminal.ts'

export const steps: CliCommand = {
  name: 'steps',
  doc: 'List the steps that an adapter is written with, or show one.',
  operands: [
    {
      name: 'step',
      doc: 'the step to show',
      required: false,
      complete: parts => parts.steps.map(step => step.name),
    },
  ],
  options: [],
  examples: ['unicli steps', 'unicli steps fetch'],
  run({ parts, parsed, out }) {
    const [name] = parsed.operands
    if (name === undefined)
      return { data: parts.steps.map(briefOf), columns: ['step', 'doc', 'effect', 'needs'] }
    const step = parts.steps.find(each => each.name === name)
    if (step === undefined) throw unknownStep(name, parts.steps)
    const data = { ...briefOf(step), options: optionsOf(step), example: step.example }
    return { data, text: textOf(step, data.options, out) }
  },
}

const briefOf = ({ name, doc, effect, needs }: AnyStep) => ({ step: name, doc, effect, needs: [...needs] })

function optionsOf(step: AnyStep): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(step.schema, { io: 'input', unrepresentable: 'any' })
  return schema
}

function textOf(step: AnyStep, options: Record<string, unknown>, { paint }: Stream): string {
  const needs = step.needs.length === 0 ? 'nothing' : step.needs.join(', ')
  return [
    `${paint.bold(step.name)}: ${step.doc}`,
    `Effect: ${step.effect}. Needs: ${needs}.`,
    '',
    paint.bold('Options (JSON Schema):'),
    indented(stringify(options, { lineWidth: 0 })),
    '',
    paint.bold('Example:'),
    indented(stringify([{ [step.name]: step.example }], { lineWidth: 0 })),
    '',
  ].join('\n')
}

const indented = (text: string): string => text.trimEnd().replace(/^/gm, '  ')

function unknownStep(name: string, known: readonly AnyStep[]): Failure {
  const near = nearestName(
    name,
    known.map(step => step.name),
  )
  return new Failure('not_found', {
    what: `The step "${name}"`,
    hint: near === null ? 'Run "unicli steps" for all of them.' : `Did you mean ${near}?`,
  })
}
