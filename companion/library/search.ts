import { distance } from 'fastest-levenshtein'
import type { Operation } from '../kernel/operation.ts'
import { tokensOf } from './tokens.ts'

type Field = 'site' | 'command' | 'aliases' | 'doc' | 'args'

/** How much a term counts where it is found, and how much a long text takes away from it (BM25F's w and b). */
const FIELDS: Readonly<Record<Field, { weight: number; b: number }>> = {
  site: { weight: 2.5, b: 0 },
  command: { weight: 3, b: 0.3 },
  aliases: { weight: 2.2, b: 0.4 },
  doc: { weight: 1.5, b: 0.5 },
  args: { weight: 0.6, b: 0.6 },
}
const NAMES = Object.keys(FIELDS) as Field[]
const K1 = 1.2

interface Posting {
  document: number
  field: Field
  count: number
}

/** A ranked index of operations by BM25F; made anew when the catalogue changes. */
export class SearchIndex {
  readonly #operations: readonly Operation[]
  readonly #postings = new Map<string, Posting[]>()
  readonly #lengths: Record<Field, number>[] = []
  readonly #means: Record<Field, number>

  constructor(operations: readonly Operation[]) {
    this.#operations = operations
    for (const [document, operation] of operations.entries()) this.#add(document, operation)
    const mean = (field: Field): number =>
      this.#lengths.reduce((sum, lengths) => sum + lengths[field], 0) / Math.max(1, this.#lengths.length)
    this.#means = recordOf(mean)
  }

  /** Best first; equals by name. An operation that shares no term with the query is none. */
  search(query: string, limit: number): { operation: Operation; score: number }[] {
    const scores = new Map<number, number>()
    for (const term of new Set(tokensOf(query)))
      for (const [document, score] of this.#scoresOf(term))
        scores.set(document, (scores.get(document) ?? 0) + score)
    return [...scores]
      .flatMap(([document, score]) => {
        const operation = this.#operations[document]
        return operation === undefined ? [] : [{ operation, score }]
      })
      .toSorted((a, b) => b.score - a.score || (a.operation.id < b.operation.id ? -1 : 1))
      .slice(0, limit)
  }

  #add(document: number, operation: Operation): void {
    const texts = textsOf(operation)
    const lengths = recordOf(() => 0)
    for (const field of NAMES) {
      const counts = new Map<string, number>()
      for (const term of tokensOf(texts[field])) {
        counts.set(term, (counts.get(term) ?? 0) + 1)
        lengths[field]++
      }
      for (const [term, count] of counts) {
        const list = this.#postings.get(term) ?? []
        list.push({ document, field, count })
        this.#postings.set(term, list)
      }
    }
    this.#lengths.push(lengths)
  }

  #scoresOf(term: string): Map<number, number> {
    const weighted = new Map<number, number>()
    for (const { document, field, count } of this.#postings.get(term) ?? []) {
      const { weight, b } = FIELDS[field]
      const length = this.#lengths[document]?.[field] ?? 0
      const normal = 1 - b + b * (length / Math.max(1, this.#means[field]))
      weighted.set(document, (weighted.get(document) ?? 0) + (weight * count) / normal)
    }
    const found = weighted.size
    const rarity = Math.log(1 + (this.#operations.length - found + 0.5) / (found + 0.5))
    for (const [document, frequency] of weighted)
      weighted.set(document, rarity * (frequency / (K1 + frequency)))
    return weighted
  }
}

const recordOf = (value: (field: Field) => number): Record<Field, number> => ({
  site: value('site'),
  command: value('command'),
  aliases: value('aliases'),
  doc: value('doc'),
  args: value('args'),
})

function textsOf(operation: Operation): Record<Field, string> {
  const args = Object.entries(operation.args.shape).map(
    ([name, schema]) => `${name} ${schema.description ?? ''}`,
  )
  return {
    site: operation.site,
    command: operation.command,
    aliases: operation.aliases.join(' '),
    doc: operation.doc,
    args: args.join(' '),
  }
}

const MAX_NEAREST = 3

/** Ids that a mistyped name may have meant, best first: whole names, commands or sites within a few letters. */
export function nearestIds(name: string, ids: readonly string[]): string[] {
  const wanted = name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s/]+/g, '.')
  const scored = ids.map(id => ({ id, cost: costOf(wanted, id) })).filter(({ cost }) => cost <= 1)
  return scored
    .toSorted((a, b) => a.cost - b.cost || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_NEAREST)
    .map(({ id }) => id)
}

/** 0 for the same, up to 1 for what may still have been meant; a part alone costs more than the whole. */
function costOf(wanted: string, id: string): number {
  const [site = '', command = ''] = id.split('.')
  const whole = relative(wanted, id)
  const dot = wanted.indexOf('.')
  if (dot === -1) return Math.min(whole, relative(wanted, command) + 0.2, relative(wanted, site) + 0.4)
  const parts = (relative(wanted.slice(0, dot), site) + relative(wanted.slice(dot + 1), command)) / 2
  const siteAlone = wanted.slice(0, dot) === site ? 0.9 : 2
  return Math.min(whole, parts + 0.1, siteAlone)
}

/** The share of letters to change; above a third it is another word. */
function relative(a: string, b: string): number {
  const share = distance(a, b) / Math.max(a.length, b.length, 1)
  return share <= 0.4 ? share : 2
}
