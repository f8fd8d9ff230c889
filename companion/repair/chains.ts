import type { Key, KeyPath } from './spots.ts'

/** A name and what is reached from it in an expression: `item.package?.name`. */
export interface Chain {
  root: 'item' | 'data'
  path: KeyPath
  /** 0-based, in the text that it was found in. */
  start: number
  end: number
}

const OPEN = '${{'

/** Chains of a text's templates, or of a bare expression. Those with computed keys end before the key. */
export function chainsIn(text: string, isExpression: boolean): Chain[] {
  if (isExpression) return scan(text, 0, text.length)
  const found: Chain[] = []
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, open + 1)) {
    const close = text.indexOf('}}', open)
    found.push(...scan(text, open + OPEN.length, close === -1 ? text.length : close))
  }
  return found
}

function scan(text: string, from: number, to: number): Chain[] {
  const found: Chain[] = []
  for (let at = from; at < to; ) {
    const char = text[at] ?? ''
    if (char === '"' || char === "'") {
      at = afterQuote(text, at)
      continue
    }
    const word = /^[A-Za-z_$][\w$]*/.exec(text.slice(at, to))?.[0]
    if (word === undefined) {
      at++
      continue
    }
    const isName = !/[.\w$]/.test(text[at - 1] ?? ' ')
    const end = at + word.length
    if (isName && (word === 'item' || word === 'data')) {
      const tail = tailOf(text.slice(end, to))
      found.push({ root: word, path: tail.path, start: at, end: end + tail.length })
      at = end + tail.length
    } else at = end
  }
  return found
}

function afterQuote(text: string, at: number): number {
  const quote = text[at]
  for (let next = at + 1; next < text.length; next++) {
    if (text[next] === '\\') next++
    else if (text[next] === quote) return next + 1
  }
  return text.length
}

function tailOf(text: string): { path: Key[]; length: number } {
  const path: Key[] = []
  let length = 0
  for (;;) {
    const rest = text.slice(length)
    const named = /^\??\.([A-Za-z_$][\w$]*)/.exec(rest)
    const listed = /^(?:\?\.)?\[\s*(?:(\d+)|"([^"\\]*)"|'([^'\\]*)')\s*\]/.exec(rest)
    const [whole, name, index] = named ?? (listed && [listed[0], listed[2] ?? listed[3], listed[1]]) ?? []
    if (whole === undefined) return { path, length }
    path.push(name ?? Number(index))
    length += whole.length
  }
}

/** Written out; `isCareful` where a step of the way may be missing. */
export function chainText(root: string, path: KeyPath, isCareful: boolean): string {
  const parts = path.map((key, index) => {
    const guard = isCareful && index > 0 ? '?.' : ''
    if (typeof key === 'number') return `${guard}[${key}]`
    return /^[A-Za-z_$][\w$]*$/.test(key)
      ? `${guard === '' ? '.' : guard}${key}`
      : `${guard}[${JSON.stringify(key)}]`
  })
  return root + parts.join('')
}

export const splice = (text: string, { start, end }: { start: number; end: number }, by: string): string =>
  text.slice(0, start) + by + text.slice(end)
