/** What stands where a secret stood. */
export const REDACTED = '[redacted]'

/** Words of a key that say that its value is a secret, also as the end of a longer word (`lgtoken`). */
const SECRET_ENDINGS = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'tokens',
  'cookie',
  'cookies',
  'authorization',
  'credential',
  'credentials',
  'bearer',
  'csrf',
  'xsrf',
  'jwt',
  'apikey',
]
const SECRET_WORDS = new Set(['auth', 'pwd', 'otp', 'pin'])
const SECRET_PAIRS = new Set(['api key', 'access key', 'private key', 'session id', 'one time'])

/** Deeper values are cut: a log line or a ledger row is no place for them. */
const MAX_DEPTH = 12

/**
 * A deep copy in which values of secret-looking keys, and secrets inside strings, are replaced. Leaves are JSON-like;
 * an Error becomes its name, message, stack, code and cause.
 *
 * @param secretNames further keys whose values are secrets, such as an operation's secret arguments
 */
export function redactValue(
  value: unknown,
  secretNames: readonly string[] = [],
  maxDepth = MAX_DEPTH,
): unknown {
  return copy(value, new Set(secretNames), new Set(), maxDepth)
}

/**
 * Secrets inside running text: bearers, basic credentials, fields of queries, forms and JSON, headers that carry them,
 * user info in addresses, JWTs, private keys, and tokens that their issuer marks by how they begin.
 */
export function redactText(text: string): string {
  const safe = HEADER_RULES.reduce((told, [rule, replacement]) => told.replace(rule, replacement), text)
  return redactMarked(safe)
}

/** The same but headers: in what is written for a reader, "cookie: not found" is prose. */
export function redactMarked(text: string): string {
  return TEXT_RULES.reduce((safe, [pattern, replacement]) => safe.replace(pattern, replacement), text)
}

const HEADERS =
  '(?:(?:set-)?cookie|(?:proxy-)?authorization|x-csrf-token|x-xsrf-token|x-api-key|x-auth-token)'
const KEYS = 'token|password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key'
/** A text with its quotes, the first of which is this group; there may be others in it. */
const quoted = (group: number): string => `(["'\`])(?:(?!\\${group})[^\\\\\r\n]|\\\\.)+\\${group}`

const HEADER_RULES: readonly (readonly [RegExp, string])[] = [
  // Such as `authorization: 'Token token="…"'`, and the header as a whole in quotes.
  [new RegExp(`\\b(${HEADERS}["']?\\s*[:=]\\s*)${quoted(2)}`, 'gi'), `$1$2${REDACTED}$2`],
  [new RegExp(`(["'\`])(${HEADERS}\\s*:\\s*)(?!["'])(?:(?!\\1)[^\\\\\r\n]|\\\\.)+`, 'gi'), `$1$2${REDACTED}`],
  [
    /\b(authorization\s*[:=]\s*)(?:digest|hawk|oauth|token|negotiate|aws4-hmac-sha256)\s[^\r\n]+/gi,
    `$1${REDACTED}`,
  ],
  [new RegExp(`\\b(${HEADERS})(["']?\\s*[:=]\\s*["']?)[^\\r\\n"']+`, 'gi'), `$1$2${REDACTED}`],
]

const TEXT_RULES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/\b(bearer|basic)\s+(?!auth\w*\b|tokens?\b|credentials?\b|scheme\b)[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  // No word is looked at from its beginning again and again: a page may be one long word, and texts are long.
  [new RegExp(`((?:${KEYS})["']?\\s{0,9}[:=]\\s{0,9})${quoted(2)}`, 'gi'), `$1$2${REDACTED}$2`],
  // As a script names it: setItem('token', '…'), append('password', '…').
  [
    new RegExp(
      `(\\(\\s{0,9}["'][\\w-]{0,40}(?:${KEYS}|authorization|cookie)["']\\s{0,9},\\s{0,9})${quoted(2)}`,
      'gi',
    ),
    `$1$2${REDACTED}$2`,
  ],
  [new RegExp(`((?:${KEYS})["']\\s*:\\s*["'])[^"'\\r\\n]+`, 'gi'), `$1${REDACTED}`],
  [
    /((?:token|password|passwd|secret|apikey|api[_-]key|access[_-]key|sessionid|csrf)=)[^&#\s"']+/gi,
    `$1${REDACTED}`,
  ],
  [/([?&](?:key|sig|signature|auth)=)[^&#\s"']+/gi, `$1${REDACTED}`],
  [/(\/\/[^/\s:@]+:)[^/\s@]+@/g, `$1${REDACTED}@`],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
  [/\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{30,})/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [
    /\b(?:xox[abeoprs]-[\w-]{10,}|sk-[\w-]{20,}|sk_live_\w{16,}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|1\/\/0[\w-]{20,})/g,
    REDACTED,
  ],
]

export function isSecretKey(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
  return words.some(
    (word, i) =>
      SECRET_WORDS.has(word) ||
      SECRET_ENDINGS.some(ending => word.endsWith(ending)) ||
      SECRET_PAIRS.has(`${word} ${words[i + 1]}`),
  )
}

/** @param depth levels that may still come */
function copy(value: unknown, names: ReadonlySet<string>, above: Set<object>, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (above.has(value)) return '[circular]'
  if (depth <= 0) return '[deep]'
  if (value instanceof Date) return value.toISOString()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  above.add(value)
  const copied = Array.isArray(value)
    ? value.map(item => copy(item, names, above, depth - 1))
    : copyFields(value, names, above, depth)
  above.delete(value)
  return copied
}

function copyFields(value: object, names: ReadonlySet<string>, above: Set<object>, depth: number): unknown {
  const entries = value instanceof Error ? errorFields(value) : Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      key,
      hides(key, inner, names) ? REDACTED : copy(inner, names, above, depth - 1),
    ]),
  )
}

/** Null, undefined and truth values tell whether there is a secret, not which. */
function hides(key: string, value: unknown, names: ReadonlySet<string>): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return false
  return names.has(key) || isSecretKey(key)
}

function errorFields(error: Error): [string, unknown][] {
  const own = Object.entries(error).filter(([key]) => key !== 'name')
  const cause: [string, unknown][] = error.cause === undefined ? [] : [['cause', error.cause]]
  return [['name', error.name], ['message', error.message], ...own, ...cause, ['stack', error.stack]]
}
