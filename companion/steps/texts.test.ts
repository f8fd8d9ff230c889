import { describe, expect, it } from 'vitest'
import { answerOf } from '../../tests/support/step-answer.ts'

describe('split_text', () => {
  it.each([
    ['gives lines', {}, 'a\n\n b \n', ['a', 'b']],
    ['keeps empty records when asked', { keep_empty: true }, 'a\n\nb', ['a', '', 'b']],
    [
      'gives lists without columns',
      { field_separator: '\t' },
      '桥\t1\nb\t2',
      [
        ['桥', '1'],
        ['b', '2'],
      ],
    ],
    [
      'fills columns that are missing',
      { field_separator: ',', columns: ['a', 'b'] },
      '1',
      [{ a: '1', b: null }],
    ],
    [
      'takes a list of texts as records',
      { field_separator: '=', columns: ['k', 'v'] },
      ['a=1', 'b=2'],
      [
        { k: 'a', v: '1' },
        { k: 'b', v: '2' },
      ],
    ],
    [
      'takes off what surrounds a field',
      { strip_prefix: '"', strip_suffix: '"', record_separator: ';' },
      '"a";"b"',
      ['a', 'b'],
    ],
    ['removes every match of a pattern', { strip: '\\[\\d+\\]' }, 'x[1]y[22]', ['xy']],
    ['decodes', { decode: 'uri' }, '%E6%A1%A5', ['桥']],
  ])('%s', async (_, options, data, want) => {
    expect(await answerOf([{ split_text: options }], data)).toEqual(want)
  })
})

describe('template', () => {
  it.each([
    [
      'writes a text for every row',
      '${{ item.n }}: ${{ index }}',
      [{ n: 'a' }, { n: 'b' }],
      ['a: 0', 'b: 1'],
    ],
    ['writes text even where the template is a number', '${{ item.n }}', [{ n: 5 }], ['5']],
    ['writes one for an object', { text: '${{ item.n }}桥' }, { n: 1 }, '1桥'],
    [
      'writes one for all rows when asked',
      { text: '${{ data | length }} rows', whole: true },
      [1, 2],
      '2 rows',
    ],
  ])('%s', async (_, options, data, want) => {
    expect(await answerOf([{ template: options }], data)).toEqual(want)
  })
})
