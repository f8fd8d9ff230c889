import type { Lasting } from '../../../shared/policy.ts'
import type { RunEvent } from '../../kernel/operation.ts'
import { printable } from './output/text.ts'
import type { Paint } from './terminal.ts'

type Waiting = Extract<RunEvent, { type: 'waiting' }>['approval']

/** What will happen, for a person to read; every line of it set in, so that it cannot pass for one of ours. */
export function approvalText(approval: Waiting, paint: Paint): string {
  const lines = printable(approval.text).trimEnd().split('\n')
  const stakes = [approval.effect, ...(approval.risk === undefined ? [] : [approval.risk])].join(', ')
  const heading =
    approval.choices === undefined
      ? `${paint.yellow('approve?')} ${paint.bold(approval.operation)} (${stakes})`
      : `${paint.yellow('asks')} ${paint.bold(approval.operation)}`
  return [
    heading,
    ...lines.map(line => `  ${line}`),
    ...(approval.choices ?? []).map((choice, index) => `  ${index + 1}  ${printable(choice)}`),
    ...(approval.covers === undefined ? [] : [`  s and a would cover: ${printable(approval.covers)}`]),
    '',
  ].join('\n')
}

/** How somebody else can answer, for a caller that cannot be asked. */
export function approvalHelp({ id, expires_at, choices }: Waiting): string {
  const seconds = Math.max(0, Math.round((expires_at - Date.now()) / 1000))
  return [
    `  It waits ${seconds} s for an answer in the panel of the extension or on a terminal:`,
    `  unicli approvals allow ${id}${choices === undefined ? '' : ' --reply <answer>'}   or   unicli approvals deny ${id}`,
    '',
  ].join('\n')
}

/** What stands before the place where the person types. */
export function promptOf({ choices }: Waiting): string {
  if (choices === undefined) return 'Allow it? [y: once, s: in this session, a: always, N] '
  return choices.length === 0
    ? 'Your answer (empty: none): '
    : `Your answer [1-${choices.length}, empty: none]: `
}

/** The answer that a typed line gives: the choice, by its number or itself, or any text; undefined when it is none. */
export function replyOf(line: string, choices: readonly string[]): string | undefined {
  const text = line.trim()
  if (choices.length === 0) return text
  return choices.find((choice, index) => text === choice || text === String(index + 1))
}

/** For how long a typed line allows it; null, which is a no, for anything but a yes. */
export function lastingOf(line: string): Lasting | null {
  const word = line.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return 'once'
  if (word === 's' || word === 'session') return 'session'
  return word === 'a' || word === 'always' ? 'always' : null
}

/** Lines of a stream, one at a time; null at its end. Chunks are not lines. */
export class LineReader {
  readonly #source: AsyncIterator<string>
  #text = ''

  constructor(source: AsyncIterable<string>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async next(): Promise<string | null> {
    for (;;) {
      const end = this.#text.indexOf('\n')
      if (end >= 0) {
        const line = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 1)
        return line
      }
      const chunk = await this.#source.next()
      if (chunk.done) return this.#rest()
      this.#text += chunk.value
    }
  }

  #rest(): string | null {
    const rest = this.#text
    this.#text = ''
    return rest === '' ? null : rest
  }
}
