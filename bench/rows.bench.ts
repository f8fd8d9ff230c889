import { answerOf } from '../tests/support/step-answer.ts'
import { row, sample } from './sampling.ts'

export const title = '10,000 rows through steps, beside plain JavaScript (ratio: to it)'

const ROWS = Array.from({ length: 10_000 }, (_, id) => ({
  id,
  title: `row ${(id * 7919) % 10_007}`,
  score: (id * 7919) % 10_007,
  user: { name: `u${id % 100}` },
}))
const COUNT = 60

const STEPS = {
  filter: { filter: 'item.score > args.min' },
  map: {
    map: {
      id: '${{ item.id }}',
      title: '${{ item.title }}',
      by: '${{ item.user.name }}',
      score: '${{ item.score }}',
    },
  },
  sort: { sort: { by: 'score', order: 'desc' } },
}

type Row = (typeof ROWS)[number]
const keep = (rows: Row[]) => rows.filter(each => each.score > 100)
const shape = (rows: Row[]) => rows.map(({ id, title, user, score }) => ({ id, title, by: user.name, score }))
const order = <T extends { score: number }>(rows: T[]) => rows.toSorted((a, b) => b.score - a.score)

export async function measure() {
  const cases: [string, unknown[], () => unknown][] = [
    ['filter', [STEPS.filter], () => keep(ROWS)],
    ['map', [STEPS.map], () => shape(ROWS)],
    ['sort', [STEPS.sort], () => order(ROWS)],
    ['filter, map and sort', [STEPS.filter, STEPS.map, STEPS.sort], () => order(shape(keep(ROWS)))],
  ]
  const table = []
  for (const [what, steps, plain] of cases) {
    const own = await sample(COUNT, async () => plain())
    table.push(row(`${what}: plain`, own, own))
    table.push(row(`${what}: steps`, await sample(COUNT, () => answerOf(steps, ROWS, { min: 100 })), own))
  }
  return table
}
