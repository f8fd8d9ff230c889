import { FAILURES } from '../../shared/failures.ts'
import { code, page, table } from './page.ts'

export function failuresPage(): string {
  const rows = Object.entries(FAILURES).map(([name, spec]) => [
    code(name),
    spec.class,
    String(spec.exit),
    String(spec.http),
    spec.retry ? 'yes' : 'no',
    // Each row's function takes the params of its own code, and the blanks stand in for all of them.
    String(spec.message(BLANKS as never)),
    String(spec.hint(BLANKS as never)),
  ])
  return page(
    'Failures',
    'Every failure that `unicli` reports on purpose. A code is permanent. `exit` is the exit code of the CLI, ' +
      '`HTTP` the status of the HTTP surface; `retry` says that the very same call may succeed later without ' +
      'anybody changing anything. Words in braces are filled in from `error.details`.',
    table(['code', 'class', 'exit', 'HTTP', 'retry', 'message', 'what to do'], rows),
  )
}

/** Params of any failure, each of which prints as its own name in braces. */
const BLANKS = new Proxy({}, { get: (_, name) => blank(String(name)) })

/** Stands for text, a number or a list alike: the table's functions only print, join and count. */
const blank = (name: string) => ({
  toString: () => `{${name}}`,
  join: () => `{${name}}`,
  length: `{number of ${name}}`,
})
