import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { Envelope } from '../../../../shared/envelope.ts'
import { answered } from '../answer.ts'
import { toCompact, toCompactRecord } from './compact.ts'
import { toCsv } from './csv.ts'
import { toMarkdown } from './markdown.ts'
import { type Format, present } from './present.ts'
import { rowsOf } from './rows.ts'
import { fitted, toTable } from './table.ts'
import { widthOf } from './text.ts'

const plain = pc.createColors(false)
const asked = { site: 'unicli', command: 'list', startedAt: Date.now() }
const pipe = { tty: false, redraws: false, paint: plain, width: null }
const screen = (width: number) => ({ tty: true, redraws: true, paint: plain, width })
const shown = (data: unknown, format: Format, over: { bare?: boolean; width?: number } = {}) =>
  present(answered(asked, { data }), {
    format,
    bare: over.bare ?? false,
    out: over.width ? screen(over.width) : pipe,
  })

describe('rows', () => {
  it('take the columns that are declared, else every key of every row in order', () => {
    const list = [{ b: 1, a: 2 }, { c: 3 }]
    expect(rowsOf(list, ['a']).columns).toEqual(['a'])
    expect(rowsOf(list)).toEqual({
      columns: ['b', 'a', 'c'],
      rows: [
        [1, 2, undefined],
        [undefined, undefined, 3],
      ],
    })
  })

  it('put items that are no records into a column of their own', () => {
    expect(rowsOf(['x', 5])).toEqual({ columns: ['value'], rows: [['x'], [5]] })
    expect(rowsOf([{ a: 1 }, 'x'])).toEqual({
      columns: ['a', 'value'],
      rows: [
        [1, undefined],
        [undefined, 'x'],
      ],
    })
  })
})

describe('csv', () => {
  it('quotes as RFC 4180 does', () => {
    expect(toCsv({ columns: ['a', 'b'], rows: [['x,"y"\nz', null]] })).toBe('a,b\n"x,""y""\nz",\n')
  })

  it('disarms what a spreadsheet would run, and leaves numbers alone', () => {
    const rows = ['=1+1', '+cmd', '-rm', '@SUM(A1)', '\t=1', -5, '-5', '+1,5', 'a=b'].map(value => [value])
    expect(
      toCsv({ columns: ['v'], rows })
        .split('\n')
        .slice(1, -1),
    ).toEqual(["'=1+1", "'+cmd", "'-rm", "'@SUM(A1)", "'\t=1", '-5', '-5', '"+1,5"', 'a=b'])
  })
})

describe('md', () => {
  it('lines up wide characters and lets no cell break out of its place', () => {
    const text = toMarkdown({
      columns: ['題', 'x'],
      rows: [
        ['東京', 'a|b\nc'],
        ['a', '\u001b[2J'],
      ],
    })
    const lines = text.trimEnd().split('\n')
    expect(new Set(lines.map(widthOf)).size).toBe(1)
    expect(lines[2]).toContain('a\\|b<br>c')
    expect(text).not.toContain('\u001b')
  })
})

describe('compact', () => {
  it('writes the names once and one line a row, without empty columns and ends', () => {
    const rows = rowsOf([
      { id: 1, note: null, text: 'two\nlines', tags: ['a', 'b'] },
      { id: 2, note: '', text: '', tags: [] },
    ])
    expect(toCompact(rows)).toBe('id\ttext\ttags\n1\ttwo lines\ta, b\n2\n')
  })

  it('writes a record as one line a field', () => {
    expect(
      toCompactRecord([
        ['a', 1],
        ['b', null],
        ['c', { d: '猫' }],
      ]),
    ).toBe('a: 1\nc: {"d":"猫"}\n')
  })
})

describe('table', () => {
  it('cuts the widest columns until the rows fit, counting wide characters as two', () => {
    const rows = rowsOf([
      { title: '東京タワーと富士山と琵琶湖と日本の名所', n: 5 },
      { title: 'short', n: 12_345 },
    ])
    const { text, hidden } = toTable(rows, 24, plain)
    const lines = text.trimEnd().split('\n')
    expect(hidden).toEqual([])
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(24)
    expect(lines[1]).toMatch(/^東京タワーと富士…/)
    expect(lines[1]).toMatch(/ {4}5$/)
    expect(lines[2]).toMatch(/12345$/)
  })

  it('leaves out the last columns when even narrow ones do not fit, and says so', () => {
    const row = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`column${n}`, 'x'.repeat(20)]))
    const presentation = shown([row], 'table', { width: 40 })
    expect(widthOf(presentation.out.split('\n')[0] ?? '')).toBeLessThanOrEqual(40)
    expect(presentation.notes.join()).toMatch(/Too narrow for .*column11.*--fields/)
  })

  it.each([
    [[5, 5], 80],
    [[100, 5, 50], 60],
    [[30, 30, 31], 40],
    [[100], 10],
  ])('shares the room of %j columns in %d, using all of it', (natural, width) => {
    const widths = fitted(natural, width)
    const used = widths.reduce((sum, each) => sum + each, 0) + 2 * (widths.length - 1)
    const wanted = natural.reduce((sum, each) => sum + each, 0) + 2 * (natural.length - 1)
    expect(used).toBe(Math.min(width, wanted))
  })

  it('keeps controls of a site away from the terminal', () => {
    const { out } = shown([{ a: '\u001b]0;owned\u0007x\u009b31m\u202ey' }], 'table', { width: 80 })
    expect(out).toBe('a\n]0;ownedx31my\n')
  })
})

describe('every format', () => {
  it('shows a lone text as it is', () => {
    for (const format of ['md', 'compact', 'table'] as const)
      expect(shown('# Über\n猫', format).out).toBe('# Über\n猫\n')
    expect(shown('猫', 'csv').out).toBe('value\n猫\n')
  })

  it('shows a record by its fields', () => {
    const record = { title: '猫', n: 2 }
    expect(shown(record, 'table').out).toBe('field  value\ntitle  猫\nn      2\n')
    expect(shown(record, 'csv').out).toBe('title,n\n猫,2\n')
    expect(shown(record, 'md').out).toContain('| title | 猫')
    expect(shown(record, 'compact').out).toBe('title: 猫\nn: 2\n')
  })

  it('writes the envelope in json and yaml, in one line where nobody looks', () => {
    const json = shown([{ a: 1 }], 'json').out
    expect(json.trimEnd()).not.toContain('\n')
    expect(Envelope.parse(JSON.parse(json)).data).toEqual([{ a: 1 }])
    expect(Envelope.parse(parseYaml(shown([{ a: '猫' }], 'yaml').out)).data).toEqual([{ a: '猫' }])
    expect(shown([{ a: 1 }], 'json', { width: 80 }).out).toContain('\n  "ok": true')
  })

  it('keeps the C1 controls that JSON leaves raw out of a terminal, and the text whole', () => {
    const json = shown('a\u009bb', 'json').out
    expect(json).toContain('a\\u009bb')
    expect(JSON.parse(json).data).toBe('a\u009bb')
  })

  it('says on stderr that a list is empty, and gives csv its header when it is known', () => {
    expect(shown([], 'table')).toEqual({ out: '', notes: ['Nothing was found.'] })
    const columns = ['title', 'url']
    const view = { format: 'csv' as const, out: pipe }
    expect(present(answered(asked, { data: [], columns }), view).out).toBe('title,url\n')
  })

  it('gives bare values one a line, without the breaks inside them', () => {
    expect(shown(['a\nb', 3, null, '東京'], 'json', { bare: true }).out).toBe('a b\n3\n\n東京\n')
    expect(shown('one', 'table', { bare: true }).out).toBe('one\n')
  })

  it('leaves out of meta what says nothing, and columns that the rows themselves name', () => {
    const view = { format: 'json' as const, out: pipe }
    const { meta } = JSON.parse(present(answered(asked, { data: [{ a: 1 }], columns: ['a'] }), view).out)
    expect(Object.keys(meta).toSorted()).toEqual(['command', 'count', 'duration_ms', 'effect', 'site'])
    const wider = present(answered(asked, { data: [{ a: 1, b: 2 }], columns: ['a'] }), view).out
    expect(JSON.parse(wider).meta.columns).toEqual(['a'])
  })
})
