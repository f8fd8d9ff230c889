import type { ErrorInfo, Meta } from '../../../shared/envelope.ts'
import { oneLine, printable } from './output/text.ts'
import type { Paint } from './terminal.ts'

/** A failure in words: what happened, where, what to do, what else to try. */
export function failureText(error: ErrorInfo, meta: Meta, paint: Paint): string {
  const name = meta.site === '' ? 'unicli' : `${meta.site} ${meta.command}`.trim()
  const lines = [
    `${paint.red('error')} ${paint.bold(name)}: ${printable(error.message)} ${paint.dim(`[${error.code}]`)}`,
  ]
  const told = (label: string, text: string | null) => {
    if (text) lines.push(`  ${paint.dim(label.padEnd(6))} ${oneLine(text)}`)
  }
  told('where', [error.step && `step ${error.step}`, error.adapter_path].filter(Boolean).join(', '))
  told('doing', error.action)
  told('do', error.suggestion)
  told('else', error.alternatives.join('; '))
  return `${lines.join('\n')}\n`
}
