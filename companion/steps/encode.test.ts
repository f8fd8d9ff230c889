import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

describe('hash and sign', () => {
  // RFC 1321, FIPS 180 and RFC 2202/4231 give these.
  it.each([
    ['md5', '900150983cd24fb0d6963f7d28e17f72'],
    ['sha1', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['sha256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('%s of "abc" is as its standard says', async (algorithm, want) => {
    expect(await answerOf([{ hash: { algorithm } }], 'abc')).toBe(want)
  })

  it.each([
    ['sha256', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    ['md5', '750c783e6ab0b503eaa86e310a5db738'],
  ])('the %s signature of a known message is as its standard says', async (algorithm, want) => {
    const steps = [{ sign: { key: '${{ args.key }}', algorithm } }]
    expect(await answerOf(steps, 'what do ya want for nothing?', { key: 'Jefe' })).toBe(want)
  })

  it('a key may be written in base64', async () => {
    const steps = [{ sign: { key: '${{ args.key }}', key_encoding: 'base64', encoding: 'base64url' } }]
    expect(await answerOf(steps, 'what do ya want for nothing?', { key: 'SmVmZQ==' })).toBe(
      'W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM',
    )
  })

  it('a key that does not fit is not shown', async () => {
    const steps = [{ sign: { key: '${{ args.key }}', key_encoding: 'hex' } }]
    const failure = await failureOf(steps, 'x', { key: 's3cret!' })
    expect(failure.message).toBe('The key of "sign" is not hex.')
    expect(JSON.stringify(failure)).not.toContain('s3cret')
    const empty = await failureOf([{ sign: { key: '${{ args.key }}' } }], 'x', { key: 12345 })
    expect(JSON.stringify(empty)).not.toContain('12345')
  })
})

describe('encode and decode', () => {
  it.each([
    ['base64', '5qGlIA=='],
    ['base64url', '5qGlIA'],
    ['hex', 'e6a1a520'],
    ['url', '%E6%A1%A5%20'],
  ])('%s undoes itself', async (as, encoded) => {
    expect(await answerOf([{ encode: { as } }], '桥 ')).toBe(encoded)
    expect(await answerOf([{ decode: { from: as } }], encoded)).toBe('桥 ')
  })

  it('escapes for HTML and reads every entity', async () => {
    expect(await answerOf([{ encode: { as: 'html' } }], '<a & "桥">')).toBe('&lt;a &amp; &quot;桥&quot;&gt;')
    expect(await answerOf([{ decode: { from: 'html' } }], '&lt;&hellip;&#26725;&copy')).toBe('<…桥©')
  })

  it.each([
    ['gb18030', 'x8U='],
    ['big5', 'vvQ='],
    ['shift_jis', 'i7Q='],
    ['utf-16le', 'ZWg='],
  ])('reads %s', async (charset, encoded) => {
    expect(await answerOf([{ decode: { from: 'base64', charset } }], encoded)).toMatch(/^\p{Script=Han}$/u)
  })

  it('reads bytes', async () => {
    expect(await answerOf([{ decode: { from: 'bytes', charset: 'gbk' } }], Uint8Array.of(0xc7, 0xc5))).toBe(
      '桥',
    )
  })

  it.each([
    ['base64', '***', 'it is not base64'],
    ['base64', 'abcde', 'it is not base64'],
    ['hex', 'abc', 'it is not hex'],
    ['url', '100%', 'it is not url'],
    ['url', '%FF%FE', 'its bytes are not utf-8'],
  ])('refuses %s that is none: %s', async (from, text, reason) => {
    expect((await failureOf([{ decode: { from } }], text)).message).toContain(reason)
  })

  it('refuses a charset that nobody knows', async () => {
    await expect(answerOf([{ decode: { from: 'hex', charset: 'klingon' } }], '00')).rejects.toThrow(
      'no charset',
    )
  })

  it('encodes half a pair of surrogates as the mark for what is lost', async () => {
    expect(await answerOf([{ encode: { as: 'url' } }], 'a\ud800')).toBe('a%EF%BF%BD')
  })
})
