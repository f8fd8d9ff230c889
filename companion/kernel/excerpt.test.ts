import { expect, test } from 'vitest'
import type { EvidencePort } from '../ports/state.ts'
import { excerpt, inFull, LONE_CHARS, ROW_CHARS } from './excerpt.ts'

/** Remembers what was put. */
function store() {
  const kept: unknown[] = []
  const evidence: EvidencePort = {
    put: (content, type) => `${type} ${kept.push(Buffer.from(content))}`,
    keep: value => ({ id: `whole ${kept.push(value)}`, bytes: 10 }),
    get: () => null,
  }
  return { kept, evidence }
}
const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(2000, 'Zq1')])

test('what is short stays the very same value, and nothing is kept', () => {
  const { kept, evidence } = store()
  const data = [{ a: 'x'.repeat(ROW_CHARS), b: [1, null, { c: true }] }]
  expect(excerpt(data, evidence)).toEqual({ data, evidence: [], truncated: null })
  expect(excerpt(data, evidence).data).toBe(data)
  expect(kept).toEqual([])
})

test('a long text of a row is cut and says so; the whole answer is kept once', () => {
  const { kept, evidence } = store()
  const rows = [{ t: '語'.repeat(ROW_CHARS + 234) }, { t: 'y'.repeat(ROW_CHARS + 1) }]
  const cut = excerpt(rows, evidence)
  expect(cut.data).toEqual([
    { t: `${'語'.repeat(ROW_CHARS)}…[+234 chars]` },
    { t: `${'y'.repeat(ROW_CHARS)}…[+1 chars]` },
  ])
  expect(cut.evidence).toEqual([{ kind: 'data', media_type: 'application/json', id: 'whole 1', bytes: 10 }])
  expect(cut.truncated).toMatch(/^2 texts cut by 235 characters/)
  expect(kept).toEqual([rows])
})

test('an answer about one thing may hold more, and half a character is never left', () => {
  const text = `${'x'.repeat(LONE_CHARS - 1)}😀😀`
  expect(excerpt({ text: text.slice(0, LONE_CHARS - 1) }, store().evidence).truncated).toBeNull()
  expect(excerpt({ text }, store().evidence).data).toEqual({
    text: `${'x'.repeat(LONE_CHARS - 1)}…[+4 chars]`,
  })
})

test.each([
  ['base64', PNG.toString('base64'), 'image/png'],
  ['a data URI', `data:image/svg+xml;base64,${Buffer.alloc(900, 'Ab1').toString('base64')}`, 'image/svg+xml'],
  ['bytes', new Uint8Array(PNG), 'image/png'],
  ['base64 in lines', PNG.toString('base64').replace(/.{76}/g, '$&\r\n'), 'image/png'],
])('%s gives way to the id of a blob with its type and size', (_, image, media_type) => {
  const { kept, evidence } = store()
  const cut = excerpt({ image }, evidence)
  const bytes = (kept[0] as Buffer).byteLength
  expect(cut.data).toEqual({ image: { blob: `${media_type} 1`, media_type, bytes } })
  expect(cut.evidence).toEqual([{ kind: 'blob', id: `${media_type} 1`, media_type, bytes }])
  expect(cut.truncated).toBeNull()
  if (media_type === 'image/png') expect(kept[0]).toEqual(PNG)
})

test.each([
  ['hex', 'ab12'.repeat(400)],
  ['prose', 'A tale of 2 Cities. '.repeat(100)],
  ['a short key', Buffer.alloc(300, 'aZ9').toString('base64')],
  ['CJK', '東京都'.repeat(400)],
])('%s is no bytes', (_, text) => {
  expect(excerpt({ text }, store().evidence).evidence).toEqual([])
})

test('in full, nothing is cut and bytes are base64', () => {
  const text = 'x'.repeat(50_000)
  expect(inFull({ text, image: new Uint8Array([1, 2]) })).toEqual({ text, image: 'AQI=' })
})

test('names one a line are no base64, which is wrapped in lines of one length', () => {
  const names = Array.from({ length: 200 }, (_, at) => `${'User'.repeat(1 + (at % 5))}_${at}`).join('\n')
  expect(excerpt({ names }, store().evidence).data).toEqual({ names })
  const ids = Array.from({ length: 200 }, () => 'dQw4w9WgXcQ').join('\n')
  expect(excerpt({ ids }, store().evidence).data).toEqual({ ids })
  const wrapped = PNG.toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  expect(excerpt({ wrapped }, store().evidence).data).toEqual({
    wrapped: { blob: 'image/png 1', media_type: 'image/png', bytes: PNG.byteLength },
  })
})
