import type { Access } from '../../ports/access.ts'
import type { Redact } from './coverage.ts'
import type { Matter } from './rule-match.ts'
import type { Verdict } from './verdict.ts'

const MAX_CHARS = 2000
const SECRET = '[secret]'

/** What exactly will happen and why it is asked, for a person to read. Values of secrets are not in it. */
export function questionText(
  { operation, args, access }: Matter,
  { by, reason }: Verdict,
  redact: Redact,
): string {
  const secret = (name: string) => operation.secrets.includes(name)
  const safe = redact(args, operation.secrets) as Record<string, unknown>
  const shown = Object.entries(safe)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${secret(name) ? SECRET : JSON.stringify(value)}`)
  const why = by === 'rule' ? [`Asked because ${reason}.`] : []
  const what = access === null ? [operation.doc, ...shown] : [accessText(access, redact), operation.doc]
  const text = [...what, ...why].join('\n')
  return hidden(
    text,
    operation.secrets.map(name => args[name]),
  ).slice(0, MAX_CHARS)
}

/** A secret may have got into an address or a command line. */
const hidden = (text: string, secrets: readonly unknown[]): string =>
  secrets
    .filter(secret => typeof secret === 'string' && secret.length > 3)
    .reduce<string>((safe, secret) => safe.replaceAll(String(secret), SECRET), text)

function accessText(access: Access, redact: Redact): string {
  if (access.kind === 'network') return `${access.method} ${String(redact(access.url, []))}`
  if (access.kind === 'browse') return `Uses ${String(redact(access.url, []))} in your browser`
  if (access.kind === 'execute') return `Runs ${wordsOf(access.argv, redact).join(' ')}`
  return `${access.kind === 'read_file' ? 'Reads' : 'Writes'} ${access.path}`
}

/** `--password x` is a secret under its name, as `password: x` is. */
const wordsOf = (argv: readonly string[], redact: Redact): string[] =>
  argv.map((word, at) => {
    const before = at === 0 ? '' : (argv[at - 1] ?? '')
    const name = /^--?[a-z]/i.test(before) ? before.replace(/^-+/, '') : 'word'
    return JSON.stringify((redact({ [name]: word }, []) as Record<string, unknown>)[name])
  })
