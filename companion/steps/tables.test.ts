import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

describe('parse_table', () => {
  it.each([
    ['has a thead', '<table><thead><tr><th>a<th>b</thead><tr><td>1<td>2</table>', {}, [{ a: '1', b: '2' }]],
    ['has a row of th alone', '<table><tr><th>a<th>b<tr><th>x<td>2</table>', {}, [{ a: 'x', b: '2' }]],
    ['has no header', '<table><tr><td>1<td>2</table>', {}, [{ column_1: '1', column_2: '2' }]],
    ['has equal names', '<table><tr><th>a<th>a<tr><td>1<td>2</table>', {}, [{ a: '1', a_2: '2' }]],
    ['is given names', '<table><tr><td>1<td>2</table>', { columns: ['x', 'y'] }, [{ x: '1', y: '2' }]],
    ['has a header that is no th', '<table><tr><td>a<tr><td>1</table>', { header_rows: 1 }, [{ a: '1' }]],
    ['has short rows', '<table><tr><th>a<th>b<tr><td>1</table>', {}, [{ a: '1', b: null }]],
    [
      'spans rows to its end',
      '<table><tr><th>a<th>b<tr><td rowspan=0>x<td>1<tr><td>2</table>',
      {},
      [
        { a: 'x', b: '1' },
        { a: 'x', b: '2' },
      ],
    ],
    [
      'spans more than there is',
      '<table><tr><th>a<th>b<tr><td rowspan=99>x<td>1</table>',
      {},
      [{ a: 'x', b: '1' }],
    ],
    [
      'has spans that are no numbers',
      '<table><tr><th colspan=x>a<tr><td rowspan=-3>1</table>',
      {},
      [{ a: '1' }],
    ],
    [
      'has a foot before its body',
      '<table><tfoot><tr><td>sum</tfoot><tbody><tr><td>1</tbody></table>',
      {},
      [{ column_1: '1' }, { column_1: 'sum' }],
    ],
    ['holds another table', '<table><tr><th>a<tr><td><table><tr><td>in</table></table>', {}, [{ a: 'in' }]],
    [
      'holds links',
      '<table><tr><th>a<tr><td><a href="/x">桥<br>2</a></table>',
      { attribute: 'href' },
      [{ a: '/x' }],
    ],
    [
      'holds breaks and scripts',
      '<table><tr><th>a<tr><td>桥<br>2<script>3</script></table>',
      {},
      [{ a: '桥 2' }],
    ],
    ['is the second', '<table></table><table><tr><td>1</table>', { index: 1 }, [{ column_1: '1' }]],
    ['is empty', '<table><tr><th>a</table>', {}, []],
  ])('reads a table that %s', async (_, html, options, want) => {
    expect(await answerOf([{ parse_table: options }], html)).toEqual(want)
  })

  it('fails when there is no such table', async () => {
    expect((await failureOf([{ parse_table: { table: '#prices' } }], '<table></table>')).code).toBe(
      'element_not_found',
    )
  })

  it('refuses a table whose spans would fill the memory', async () => {
    const cells = '<td rowspan=2000 colspan=1000>x'
    const html = `<table>${`<tr>${cells}`.repeat(1500)}</table>`
    expect((await failureOf([{ parse_table: {} }], html)).message).toContain('more than 1000000 cells')
  })
})
