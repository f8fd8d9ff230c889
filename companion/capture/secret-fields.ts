import { isSecretKey, REDACTED } from '../kernel/redact.ts'

/** Words that say nothing of what a field holds: it is the one before that does. */
const TRAILING = new Set(['value', 'confirm', 'confirmation', 'again', 'repeat', 'hash', 'raw', '1', '2'])
const MORE_SECRETS =
  /^(?:sid|sess(?:ion)?id|phpsessid|connect\.sid|pass|pw|passcode|cvv2?|cvc2?|samlresponse|assertion)$/i
/** Of these a number is a secret too; of others it is a count, such as of tokens. */
const NUMBERS = /(?:pin|otp|pass(?:word|wd|code)?|pwd|secret|cvv2?|cvc2?|session_?id)$/i
const IN_QUERIES = /^(?:key|sig|signature|auth|x-amz-signature|x-goog-signature)$/i

/** Keys of a body come again and again. */
const MAX_KNOWN = 2000
const known = new Map<string, boolean>()

/** Whether a field of this name holds a secret: not one that is about a secret, such as `token_type`. */
function isSecretField(name: string): boolean {
  const before = known.get(name)
  if (before !== undefined) return before
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '')
  while (words.length > 1 && TRAILING.has(words.at(-1)?.toLowerCase() ?? '')) words.pop()
  const isSecret = MORE_SECRETS.test(name) || isAtEnd(words)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(name, isSecret)
  return isSecret
}

function isAtEnd(words: readonly string[]): boolean {
  const last = words.at(-1) ?? ''
  const before = words.at(-2) ?? ''
  return isSecretKey(last) || (!isSecretKey(before) && isSecretKey(`${before} ${last}`))
}

/** Of a text of any kind, such as JSON, markup or a script. A secret that lies in a text in a text is found as well. */
export function withoutFieldSecrets(text: string): string {
  const json = withoutJsonSecrets(text)
  const plain = json.replace(ASSIGNED, (all, name: string, between: string, quote: string) =>
    isSecretField(name) ? `${name}${between}${quote}${REDACTED}${quote}` : all,
  )
  return plain.includes('<') ? withoutMarkupSecrets(plain) : plain
}

/** `token: 'abc'` and `token = "abc"` in a script; in a text in a text, such as a GraphQL document, with backslashes. */
const ASSIGNED = /\b([A-Za-z_$][\w$]{1,60})(\s{0,9}[:=]\s{0,9})(\\{0,7}["'`])(?!\[redacted\])[^"'`\\\r\n]+\3/g

/** How a member begins: as many backslashes before each quote as texts lie in one another. */
const MEMBER = /(\\{0,7})"([\w$.-]{2,80})\1"\s{0,99}:\s{0,99}(\[\s{0,99})?/g

function withoutJsonSecrets(text: string): string {
  const parts: string[] = []
  let at = 0
  MEMBER.lastIndex = 0
  for (let found = MEMBER.exec(text); found !== null; found = MEMBER.exec(text)) {
    const [, slashes = '', name = '', list] = found
    if (!isSecretField(name)) continue
    let start: number | null = MEMBER.lastIndex
    while (start !== null) {
      const end = endOfValue(text, start, slashes, name)
      if (end === null) break
      const isEmpty = text.slice(start, end) === `${slashes}"${slashes}"`
      if (!isEmpty) parts.push(text.slice(at, start), `${slashes}"${REDACTED}${slashes}"`)
      if (!isEmpty) at = end
      MEMBER.lastIndex = end
      start = list === undefined ? null : nextInList(text, end)
    }
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(at)
}

function nextInList(text: string, at: number): number | null {
  const comma = /\s{0,99},\s{0,99}/y
  comma.lastIndex = at
  return comma.test(text) ? comma.lastIndex : null
}

/** Where the text or the number ends that begins there; null for what is neither, or no secret. */
function endOfValue(text: string, start: number, slashes: string, name: string): number | null {
  if (!text.startsWith(`${slashes}"`, start)) {
    const number = /-?\d[\d.eE+-]*/y
    number.lastIndex = start
    return NUMBERS.test(name) && number.test(text) ? number.lastIndex : null
  }
  const depth = slashes.length
  for (let at = text.indexOf('"', start + depth + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at
    while (before > start + depth + 1 && text[before - 1] === '\\') before--
    // A quote that belongs to the value has more of them before it.
    if ((at - before) % (2 * (depth + 1)) === depth) return at + 1
  }
  return text.length
}

const TAG = /<(?:input|meta)\b(?:[^<>"']|"[^"<]{0,2000}"|'[^'<]{0,2000}'){1,500}>/gi
const ELEMENT = /<(?:\w{1,40}:)?(\w{2,60})(?:\s[^<>]{0,500})?>[^<>]{1,8000}(?=<\/)/g
const TOLD = /(\s(?:value|content)\s{0,9}=\s{0,9})("[^"]*"|'[^']*'|[^\s"'>]+)/gi

function withoutMarkupSecrets(text: string): string {
  const fields = text.replace(TAG, tag => {
    const [, , name = ''] = /\s(?:name|property|id)\s*=\s*(["']?)([^\s"'>]+)\1/i.exec(tag) ?? []
    const isPassword = /\stype\s*=\s*["']?password\b/i.test(tag)
    if (!isPassword && !isSecretField(name)) return tag
    return tag.replace(TOLD, (all, before: string, value: string) =>
      value.length === 2 && /^["']/.test(value) ? all : `${before}"${REDACTED}"`,
    )
  })
  return fields.replace(ELEMENT, (element, name: string) =>
    isSecretField(name) ? `${element.slice(0, element.indexOf('>') + 1)}${REDACTED}` : element,
  )
}

/** Of an address: what comes after `?`, `&`, `;` or `#`. */
export const withoutQuerySecrets = (url: string): string =>
  url.replace(/([?&;#])([\w.~%[\]-]{1,80})=([^&;#\s]+)/g, (all, mark: string, name: string) =>
    isSecretField(name) || IN_QUERIES.test(name) ? `${mark}${name}=${REDACTED}` : all,
  )

/** Of a form as it is sent, with all that its values may hold. */
export const withoutFormSecrets = (form: string): string =>
  form.replace(/(^|&)([^=&]{1,200})=([^&]+)/g, (all, mark: string, name: string) =>
    isSecretField(name) ? `${mark}${name}=${REDACTED}` : all,
  )

/** The fields of a multipart body, of one line or several. */
export const withoutMultipartSecrets = (text: string): string =>
  text.replace(
    /(name="([^"\r\n]{1,200})"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)([\s\S]*?)(?=\r?\n--|$)/g,
    (all, head: string, name: string) => (isSecretField(name) ? `${head}${REDACTED}` : all),
  )
