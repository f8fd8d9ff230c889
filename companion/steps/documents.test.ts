import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'
import { pdfToText } from './documents.ts'

/** A file of as many pages as texts; `font` is the dictionary of the one font. */
function pdfOf(texts: readonly string[], font: string): Buffer {
  const kids = texts.map((_, index) => `${10 + index * 2} 0 R`).join(' ')
  const pages = texts.map((text, index) => {
    const stream = `BT /F 9 Tf ${text} Tj ET`
    return (
      `${10 + index * 2} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents ${11 + index * 2} 0 R/Resources<</Font<</F 3 0 R>>>>>>endobj\n` +
      `${11 + index * 2} 0 obj<</Length ${stream.length}>>stream\n${stream}\nendstream endobj\n`
    )
  })
  return Buffer.from(
    `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[${kids}]/Count ${texts.length}>>endobj\n` +
      `3 0 obj${font}endobj\n${pages.join('')}${CJK}trailer<</Root 1 0 R>>\n%%EOF`,
  )
}
const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
const CID =
  '<</Type/Font/Subtype/CIDFontType0/BaseFont/S/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/FontDescriptor 6 0 R>>'
const MAP =
  'begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0001> <6865> endbfchar endcmap'
const CJK =
  `5 0 obj${CID}endobj\n6 0 obj<</Type/FontDescriptor/FontName/S/Flags 4/FontBBox[0 0 1 1]/ItalicAngle 0/Ascent 1/Descent 0/CapHeight 1/StemV 1>>endobj\n` +
  `7 0 obj<</Length ${MAP.length}>>stream\n${MAP}\nendstream endobj\n`
const typeZero = (encoding: string, more = '') =>
  `<</Type/Font/Subtype/Type0/BaseFont/S/Encoding/${encoding}/DescendantFonts[5 0 R]${more}>>`

describe('pdf_to_text', () => {
  it('reads the pages that are asked for', async () => {
    const file = pdfOf(['(one)', '(two)', '(three)'], HELVETICA)
    expect(await answerOf([{ pdf_to_text: {} }], file)).toBe('one\n\ntwo\n\nthree')
    expect(await answerOf([{ pdf_to_text: { first: 2, pages: true } }], file.toString('base64'))).toEqual([
      { page: 2, text: 'two' },
      { page: 3, text: 'three' },
    ])
  })

  it('reads Chinese by the map that the file brings, and leaves the bytes to the caller', async () => {
    const file = pdfOf(['<0001>'], typeZero('Identity-H', '/ToUnicode 7 0 R'))
    const before = Buffer.from(file)
    expect(await answerOf([{ pdf_to_text: {} }], file)).toBe('桥')
    expect(file.equals(before)).toBe(true)
  })

  it('fails on text that it cannot read, rather than leave it out', async () => {
    const failure = await failureOf([{ pdf_to_text: {} }], pdfOf(['<6865>'], typeZero('UniGB-UCS2-H')))
    expect(failure.message).toContain('character map UniGB-UCS2-H')
  })

  it.each([
    ['no base64', 'no file!', 'bytes, or base64 text is needed'],
    ['another kind of file', 'aGVsbG8gd29ybGQ=', 'Invalid PDF structure'],
    ['nothing', null, 'bytes, or base64 text is needed'],
  ])('refuses %s', async (_, data, reason) => {
    expect((await failureOf([{ pdf_to_text: {} }], data)).message).toContain(reason)
  })

  it('stops between pages when the run is stopped', async () => {
    const tools = {
      data: pdfOf(['(one)'], HELVETICA),
      signal: AbortSignal.abort(new Error('stopped')),
      progress: () => undefined,
    }
    await expect(pdfToText.run(tools as never, pdfToText.schema.parse({}))).rejects.toThrow('stopped')
  })
})
