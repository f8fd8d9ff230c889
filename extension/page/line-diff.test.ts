import { describe, expect, test } from 'vitest'
import { tellChanges } from './changes-text.ts'
import { diffLines, type SeenLine } from './line-diff.ts'

/** `role …`, indented by depth; a dialog or alert announces what is in it. */
function lines(text: string): SeenLine[] {
  let announcing = Number.POSITIVE_INFINITY
  return text.split('\n').map(line => {
    const body = line.trimStart()
    const depth = (line.length - body.length) / 2
    const role = /^\w+/.exec(body)?.[0] ?? ''
    if (depth <= announcing) announcing = /^(dialog|alert)$/.test(role) ? depth : Number.POSITIVE_INFINITY
    const ref = /\[(d\d+e\d+)\]/.exec(body)?.[1] ?? null
    return { key: body, text: body, depth, joined: false, ref, role, announced: announcing <= depth }
  })
}

const told = (before: string, now: string, budget = 1000): string =>
  tellChanges(diffLines(lines(before), lines(now)), budget, 'snapshot').text

const LIST = 'list\n  listitem: Milk\n  listitem: Eggs\n  listitem: Tea'

describe('what is different', () => {
  test('is nothing where nothing is', () => {
    expect(told(LIST, LIST)).toBe('')
  })

  test('is what came, what went, and what a place holds now', () => {
    expect(told(LIST, LIST.replace('Eggs', 'Cheese'))).toBe('~ listitem: Cheese')
    expect(told(LIST, `${LIST}\n  listitem: Rum`)).toBe('+ listitem: Rum')
    expect(told(LIST, LIST.replace('\n  listitem: Eggs', ''))).toBe('- listitem: Eggs')
  })

  test('is told of an element by its ref, wherever it stands now', () => {
    expect(told('button "Play" [d1e1]\ntext "a"\ntext "b"', 'text "a"\ntext "b"\nbutton "Stop" [d1e1]')).toBe(
      '~ button "Stop" [d1e1]',
    )
  })

  test('is the line that moved, not those that it passed', () => {
    expect(told(LIST, 'list\n  listitem: Tea\n  listitem: Milk\n  listitem: Eggs')).toBe('^ listitem: Tea')
  })

  test('is told once of lines that are all the same', () => {
    expect(told('text "x"\ntext "x"', 'text "x"\ntext "x"\ntext "x"')).toBe('+ text "x"')
  })

  test('keeps the structure of what came, and tells announcements before all else', () => {
    expect(told('text "a"', 'list\n  listitem: One\ntext "a"\ndialog "Sure?":\n  button "Yes" [d1e2]')).toBe(
      '+ dialog "Sure?":\n+   button "Yes" [d1e2]\n+ list\n+   listitem: One',
    )
  })

  test('is cut at the budget to what tells most, and says how much more there is', () => {
    const many = Array.from({ length: 200 }, (_, at) => `text "Paragraph number ${at}"`).join('\n')
    const text = told(
      'text "old"',
      `${many}\nheading "Results" level=1\nalert: 已保存\nbutton "Next" [d1e9]`,
      80,
    )
    expect(text.split('\n').slice(0, 3)).toEqual([
      '+ alert: 已保存',
      '~ text "Paragraph number 0"',
      '+ text "Paragraph number 1"',
    ])
    expect(text).toMatch(/heading "Results" level=1\n\+ button "Next" \[d1e9\]\n… \d+ more lines changed/)
  })

  test('is found in ten thousand lines that were turned around, in no time', () => {
    const all = Array.from({ length: 10_000 }, (_, at) => `text "${at}"`)
    const [before, now] = [lines(all.join('\n')), lines(all.toReversed().join('\n'))]
    const { user: started } = process.cpuUsage()
    const changes = diffLines(before, now)
    expect(process.cpuUsage().user - started).toBeLessThan(300_000)
    expect(changes).toHaveLength(9_999)
  })
})
