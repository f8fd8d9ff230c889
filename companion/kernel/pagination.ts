import { evaluateText } from './template.ts'

/** How the answers of a list go on, by the arguments of its operation. */
export interface Pagination {
  /** page counts pages, offset counts rows, cursor is what the site gave with the page before. */
  by: 'page' | 'offset' | 'cursor'
  /** The argument that says which page. */
  arg: string
  /** The argument that says how many rows a page has; fewer rows than that are the last page. */
  size?: string | undefined
  /** Of cursor: an expression on the rows (data) and the arguments (args); null when it was the last page. */
  cursor?: string | undefined
}

/** The arguments that ask for what comes after this answer; null when nothing does. Fails with expression_error. */
export function nextArgs(
  { by, arg, size, cursor }: Pagination,
  args: Readonly<Record<string, unknown>>,
  data: unknown,
): Record<string, unknown> | null {
  const rows = Array.isArray(data) ? data.length : 0
  const wanted = size === undefined ? 1 : Number(args[size] ?? 1)
  if (by === 'cursor') {
    const next = cursor === undefined ? null : evaluateText(cursor, { data, args: { ...args } })
    return next === null || next === '' || next === args[arg] ? null : { ...args, [arg]: next }
  }
  if (rows === 0 || rows < wanted) return null
  const here = Number(args[arg] ?? (by === 'page' ? 1 : 0))
  return { ...args, [arg]: by === 'page' ? here + 1 : here + rows }
}
