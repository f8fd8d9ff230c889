import { describe, expect, it } from 'vitest'
import { Body } from './bodies.ts'
import { rereadAsUtf8 } from './latin.ts'

const spill = { put: () => 'b0', get: () => null }
const read = async (bytes: Buffer, mime: string) => {
  const body = new Body()
  await body.set({ text: bytes.toString('base64'), base64: true, cut: false }, mime, spill)
  return { ...body, bytes: Buffer.from(body.read(spill) ?? []) }
}

describe('a form with files in it', () => {
  const form = (password: string, file: number[]) =>
    Buffer.concat([
      Buffer.from(`--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${password}\r\n`),
      Buffer.from('--x\r\nContent-Disposition: form-data; name="f"; filename="竹"\r\n\r\n'),
      Buffer.from(file),
      Buffer.from('\r\n--x--\r\n'),
    ])

  it('keeps each byte of them, and no secret of its fields', async () => {
    const file = [0, 255, 10, 200]
    const { bytes, binary } = await read(form('hunter2', file), 'multipart/form-data; boundary=x')
    expect([bytes, binary]).toEqual([form('[redacted]', file), true])
  })

  it('is text where its files are', async () => {
    const { bytes, binary } = await read(form('a', [104, 105]), 'multipart/form-data; boundary=x')
    expect([bytes, binary]).toEqual([form('[redacted]', [104, 105]), false])
  })
})

describe('text that was read as Windows-1252', () => {
  const misread = (text: string) => new TextDecoder('windows-1252').decode(Buffer.from(text))

  it.each(['竹 — “q” é €  ÿ 😀', 'only ASCII', ''])('is what it was as UTF-8: %s', text => {
    expect(rereadAsUtf8(misread(text))).toBe(text)
  })

  it.each(['café', 'naïve €5', '竹'])('stays where it is no UTF-8: %s', text => {
    expect(rereadAsUtf8(text)).toBe(text)
  })
})
