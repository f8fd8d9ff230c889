import { Failure } from '../../../../shared/failures.ts'
import { briefOf, describeOperation, hitOf } from '../../../kernel/description.ts'
import type { Catalogue, Operation } from '../../../kernel/operation.ts'
import type { CliCommand } from '../command.ts'
import { helpOf } from '../leaf.ts'
import { exampleOf, operationLeaf } from '../operation-leaf.ts'
import type { CliParts } from '../parts.ts'

const DEFAULT_HITS = 10
const DEFAULT_PROPOSALS = 3

export const list: CliCommand = {
  name: 'list',
  doc: 'List every operation, or those of one site.',
  operands: [],
  options: [{ flags: '--site <name>', doc: 'only operations of this site', complete: sitesOf }],
  examples: ['unicli list', 'unicli list --site mediawiki -f json'],
  run({ parts: { kernel }, parsed }) {
    const site = parsed.text('--site')
    const operations = kernel.catalogue.list()
    if (site === undefined) return listing(operations)
    return siteListing(kernel.catalogue, site)
  },
}

export const search: CliCommand = {
  name: 'search',
  doc: 'Find operations by what you want to do.',
  operands: [{ name: 'intent', doc: 'what you want to do, in your words', required: true, variadic: true }],
  options: [{ flags: '--limit <number>', doc: 'at most so many', default: DEFAULT_HITS }],
  examples: ['unicli search latest changes in the wiki', 'unicli search "read a page" --limit 3'],
  run({ parts: { kernel }, parsed }) {
    const limit = countOf(parsed.text('--limit'), DEFAULT_HITS)
    const found = kernel.catalogue.search(parsed.operands.join(' '), limit)
    return { data: found.map(hit => hitOf(hit.operation)), columns: [...COLUMNS, 'auth'] }
  },
}

export const propose: CliCommand = {
  name: 'do',
  doc: 'Propose calls for what you want to do: arguments, login, risk and an example. Runs nothing.',
  operands: [{ name: 'intent', doc: 'what you want to do, in your words', required: true, variadic: true }],
  options: [{ flags: '--limit <number>', doc: 'at most so many', default: DEFAULT_PROPOSALS }],
  examples: ['unicli do "see what is new on hacker news"', 'unicli do 搜索维基百科 -f json'],
  run({ parts: { kernel }, parsed }) {
    const limit = countOf(parsed.text('--limit'), DEFAULT_PROPOSALS)
    const intent = parsed.operands.join(' ')
    const found = kernel.catalogue.search(intent, limit).map(hit => hit.operation)
    if (found.length === 0)
      throw new Failure('not_found', {
        what: `An operation for "${intent}"`,
        hint: 'Say it in other words, or see "unicli list".',
      })
    return { data: found.map(proposalOf), columns: ['operation', 'risk', 'auth', 'call'] }
  },
}

function proposalOf(operation: Operation) {
  const { effect: risk, args: _, example: __, ...hit } = hitOf(operation)
  const { args, verified } = describeOperation(operation)
  return { ...hit, risk, verified, args, call: exampleOf(operation, operationLeaf(operation).specs) }
}

export const describe: CliCommand = {
  name: 'describe',
  doc: 'Show all about one operation: arguments, effect, example.',
  operands: [
    {
      name: 'operation',
      doc: 'site.command, or the site',
      required: true,
      complete: ({ kernel }) => kernel.catalogue.list().map(operation => operation.id),
    },
    { name: 'command', doc: 'the command, when the site was given alone', required: false },
  ],
  options: [],
  examples: ['unicli describe mediawiki.search', 'unicli describe mediawiki search -f json'],
  run({ parts: { kernel }, parsed, out }) {
    const operation = operationOf(kernel.catalogue, parsed.operands.join('.'))
    const leaf = operationLeaf(operation)
    const data = { ...describeOperation(operation), example_command: exampleOf(operation, leaf.specs) }
    return { data, text: helpOf(leaf, out) }
  },
}

/** Sites in order, each once. */
export function sitesOf({ kernel }: Pick<CliParts, 'kernel'>): string[] {
  return [...new Set(kernel.catalogue.list().map(operation => operation.site))]
}

export function operationOf(catalogue: Catalogue, id: string): Operation {
  const operation = catalogue.get(id)
  if (operation === null) throw new Failure('unknown_operation', { name: id, nearest: catalogue.nearest(id) })
  return operation
}

/** What `unicli <site>` answers. */
export function siteListing(catalogue: Catalogue, site: string) {
  const operations = catalogue.list().filter(operation => operation.site === site)
  if (operations.length === 0)
    throw new Failure('unknown_operation', { name: site, nearest: catalogue.nearest(site) })
  return listing(operations)
}

const COLUMNS = ['operation', 'doc', 'effect', 'strategy'] as const

const listing = (operations: readonly Operation[]) => ({
  data: operations.map(briefOf),
  columns: COLUMNS,
})

export function countOf(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new Failure('usage', {
    problem: `--limit takes a whole number above 0, not "${text}".`,
    hint: `For example: --limit ${fallback}`,
  })
}
