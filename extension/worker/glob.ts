/** Whether a text fits a pattern in which `*` stands for anything; without one it has to be a part of it. Null fits all. */
export function globOf(pattern: string | null): (text: string) => boolean {
  if (pattern === null) return () => true
  const parts = pattern.toLowerCase().split('*')
  if (parts.length === 1) return text => text.toLowerCase().includes(pattern.toLowerCase())
  return text => fits(text.toLowerCase(), parts)
}

/** Each part after the one before it, the first at the start and the last at the end. In linear time. */
function fits(text: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  const end = text.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
