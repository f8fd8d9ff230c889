import { redactMarked } from './redact.ts'
import type { Run } from './run-state.ts'

/** What stands where the value of a secret argument stood. */
export const SECRET = '[secret]'

/** A shorter secret is replaced only where it stands alone: inside other text it would be found by chance. */
const MIN_INSIDE = 6

/** Values of a run's secret arguments, as given and with defaults. */
export function secretsOf({ operation, invocation, args }: Run): string[] {
  const names = operation?.secrets ?? []
  const values = names.flatMap(name => [...textsIn(invocation.args[name]), ...textsIn(args[name])])
  return [...new Set(values)].filter(value => value !== '')
}

/** A copy without those values, in whatever form an address, a form or JSON gives them. */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value
  const forms = secrets.filter(secret => secret.length >= MIN_INSIDE).flatMap(formsOf)
  const alone = new Set(secrets)
  // Same shape, other texts.
  return replaced(value, text => (alone.has(text) ? SECRET : without(text, forms))) as T
}

/** What a failure says may hold an address with a key in it: that is redacted as in the log. */
export const withoutMarkedSecrets = <E extends { message: string; details: Record<string, unknown> }>(
  error: E,
): E => ({
  ...error,
  message: redactMarked(error.message),
  // A record stays one.
  details: replaced(error.details, redactMarked) as Record<string, unknown>,
})

const without = (text: string, forms: readonly string[]): string =>
  forms.reduce((safe, form) => safe.replaceAll(form, SECRET), text)

function formsOf(secret: string): string[] {
  const form = new URLSearchParams({ s: secret }).toString().slice(2)
  const forms = [secret, encodeURIComponent(secret), form, JSON.stringify(secret).slice(1, -1)]
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length)
}

function replaced(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => replaced(item, change))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner, change)]))
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
