/** Origins of the whole addresses that an adapter writes out; what a template fills in is not among them. */
export function literalOrigins(value: unknown): string[] {
  if (typeof value === 'string') {
    const origin = /^https?:\/\/[^/?#\s${]+(?=[/?#]|$)/i.exec(value)?.[0]
    return origin !== undefined && URL.canParse(origin) ? [new URL(origin).origin] : []
  }
  if (Array.isArray(value)) return value.flatMap(literalOrigins)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(literalOrigins) : []
}
