import { type CheerioAPI, load } from 'cheerio'
import { likenessOf, nameLikeness } from './likeness.ts'
import type { Pair } from './pairs.ts'
import { type Drift, MARGIN, type Proposal } from './proposals.ts'

interface Field {
  selector: string
  attribute: string | null
}

interface Shape {
  from: string | null
  fields: Record<string, Field>
}

/** Selectors of an `extract` that no longer find what they found. */
export function selectorDrift(pair: Pair): Drift | null {
  const [known] = pair.known
  const [live] = pair.live
  if (pair.name !== 'extract' || known === undefined || live === undefined) return null
  const shape = shapeOf(live.planned.params)
  const [was, is] = [pageOf(known.scope.data, pair, 'known'), pageOf(live.scope.data, pair, 'live')]
  if (shape === null || was === null || is === null) return null
  const before = shapeOf(known.planned.params) ?? shape
  const [a, b] = [load(was), load(is)]
  const about = { path: pair.path, step: pair.name, line: pair.line, kind: 'selector changed' as const }
  if (before.from !== null && shape.from !== null && b(shape.from).length === 0)
    return {
      ...about,
      what: `no element matches ${shape.from}`,
      proposals: rowProposals(pair, a, b, before.from, shape.from),
    }
  return fieldDrift(pair, a, b, { before, shape, about })
}

/** HTML that the step was given, or that the page had: what it read itself is in its trace. */
function pageOf(data: unknown, pair: Pair, which: 'known' | 'live'): string | null {
  if (typeof data === 'string' && data.includes('<')) return data
  const html = which === 'known' ? pair.pages.known : pair.pages.live
  return html
}

function shapeOf(params: unknown): Shape | null {
  if (typeof params !== 'object' || params === null || !('fields' in params)) return null
  const { from, fields } = params as { from?: unknown; fields: unknown }
  if (typeof fields !== 'object' || fields === null) return null
  const read = Object.entries(fields).map(([name, field]): [string, Field] => {
    if (typeof field === 'string') return [name, { selector: field, attribute: null }]
    const { selector = '', attribute = null } = (field ?? {}) as Partial<Field>
    return [name, { selector, attribute }]
  })
  return { from: typeof from === 'string' ? from : null, fields: Object.fromEntries(read) }
}

type Found = ReturnType<CheerioAPI>
type Rows = readonly Found[]
const rowsOf = ($: CheerioAPI, from: string | null): Rows =>
  (from === null ? $('html') : $(from)).toArray().map(element => $(element))

const textOf = (node: Found): string => node.text().replaceAll(/\s+/g, ' ').trim()

function rowProposals(pair: Pair, a: CheerioAPI, b: CheerioAPI, before: string, now: string): Proposal[] {
  const known = rowsOf(a, before).map(textOf)
  const found = signaturesIn(b('html').first(), b).flatMap(selector => {
    const rows = b(selector)
    if (rows.length === 0 || rows.length > 5 * known.length) return []
    const texts = rows.toArray().map(element => textOf(b(element)))
    const { overlap } = likenessOf(known, texts)
    const back = likenessOf(texts, known).overlap
    if (overlap < 0.5 || back < 0.5) return []
    return [{ selector, score: 0.5 * overlap + 0.3 * back + 0.2 * nameLikeness(now, selector) }]
  })
  return found
    .toSorted((x, y) => y.score - x.score)
    .slice(0, 5)
    .map(({ selector, score }) => ({
      edits: [{ kind: 'set', path: [...pair.path, 'from'], value: selector }],
      score,
      what: `the rows match ${selector} now`,
    }))
}

function fieldDrift(
  pair: Pair,
  a: CheerioAPI,
  b: CheerioAPI,
  { before, shape, about }: { before: Shape; shape: Shape; about: Omit<Drift, 'what' | 'proposals'> },
): Drift | null {
  const [known, live] = [rowsOf(a, before.from), rowsOf(b, shape.from)]
  const gone = Object.entries(shape.fields).flatMap(([name, field]) => {
    const was = before.fields[name]
    if (was === undefined) return []
    const values = known.map(row => valueIn(row, was))
    const isGone = values.some(value => value !== null) && live.every(row => valueIn(row, field) === null)
    return isGone ? [{ name, field, values }] : []
  })
  if (gone.length === 0) return null
  const solved = gone.map(each => ({ ...each, selector: selectorFor(b, live, each) }))
  const isComplete = solved.every(({ selector }) => selector !== null)
  return {
    ...about,
    what: `no element matches ${gone.map(({ field }) => field.selector).join(', ')}`,
    proposals: isComplete
      ? [
          {
            edits: solved.map(({ name, selector }) => ({
              kind: 'set' as const,
              path: fieldPath(pair, name),
              value: selector ?? '',
            })),
            score: 1,
            what: solved.map(({ name, selector }) => `${name} is at ${selector} now`).join('; '),
          },
        ]
      : [],
  }
}

function fieldPath(pair: Pair, name: string): (string | number)[] {
  const params = pair.live[0]?.planned.params as { fields: Record<string, unknown> } | undefined
  const isShort = typeof params?.fields[name] === 'string'
  return [...pair.path, 'fields', name, ...(isShort ? [] : ['selector'])]
}

function valueIn(row: Found, { selector, attribute }: Field): string | null {
  const found = selector === '' ? row : row.find(selector).first()
  if (found.length === 0) return null
  return attribute === null ? textOf(found) : (found.attr(attribute) ?? null)
}

/** The selector whose first match has the known values; null when none or two differ too little. */
function selectorFor(
  $: CheerioAPI,
  rows: Rows,
  { field, values }: { field: Field; values: readonly (string | null)[] },
): string | null {
  const selectors = [...new Set(rows.slice(0, 5).flatMap(row => signaturesIn(row, $)))]
  const scored = selectors.flatMap(selector => {
    const now = rows.map(row => valueIn(row, { ...field, selector }))
    const { overlap, isTelling } = likenessOf(values, now)
    if (overlap < 0.5 || !isTelling) return []
    return [
      {
        selector,
        now: JSON.stringify(now),
        score: 0.8 * overlap + 0.2 * nameLikeness(field.selector, selector),
      },
    ]
  })
  const [best, ...others] = scored.toSorted(
    (x, y) => y.score - x.score || x.selector.length - y.selector.length,
  )
  if (best === undefined) return null
  const rival = others.find(({ now }) => now !== best.now)
  return rival !== undefined && best.score - rival.score < MARGIN ? null : best.selector
}

/** Selectors that somebody would write for the elements in a row: by id, by class, by tag. */
function signaturesIn(row: Found, $: CheerioAPI): string[] {
  const found = new Set<string>()
  for (const element of row.find('*').toArray().slice(0, 3000)) {
    const node = $(element)
    const tag = String(node.prop('tagName') ?? '').toLowerCase()
    const id = node.attr('id')
    if (id !== undefined && /^[A-Za-z][\w-]*$/.test(id)) found.add(`#${id}`)
    const classes = (node.attr('class') ?? '').split(/\s+/).filter(name => /^[A-Za-z][\w-]*$/.test(name))
    for (const name of classes) {
      found.add(`.${name}`)
      found.add(`${tag}.${name}`)
      found.add(`.${name} a`)
    }
    found.add(tag)
  }
  return [...found].filter(selector => !/^(?:html|head|body|script|style|meta|link)$/.test(selector))
}
