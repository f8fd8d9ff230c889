import { expect, it } from 'vitest'
import { Numbers } from './numbers.ts'

function file(content: string | null = null) {
  const kept = { content, writes: 0 }
  return {
    kept,
    read: () => kept.content,
    write: (text: string) => {
      kept.content = text
      kept.writes++
    },
  }
}

it('gives no number twice over a restart, and hardly ever writes', () => {
  const disk = file()
  const numbers = new Numbers(disk)
  expect(numbers.last('a')).toBe(0)
  for (let number = 1; number <= 1500; number++) numbers.take('a', number)
  expect(disk.kept.writes).toBe(2)
  const again = new Numbers(disk)
  expect(again.last('a')).toBe(2000)
  expect(again.last('b')).toBe(0)
})

it('begins anew where the file was cut short, and forgets the oldest of very many sessions', () => {
  const disk = file('{"a": 10')
  const numbers = new Numbers(disk)
  for (let session = 0; session < 201; session++) numbers.take(`s${session}`, 1)
  expect(new Numbers(disk).last('s0')).toBe(0)
  expect(new Numbers(disk).last('s200')).toBe(1000)
})
