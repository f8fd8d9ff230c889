import { describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { isSecretKey, redactText, redactValue } from './redact.ts'

describe('redaction', () => {
  it('replaces the values of secret-looking keys at any depth', () => {
    const given = {
      password: 'hunter2',
      nested: [{ accessToken: 'abc', 'X-CSRF-Token': 'def', api_key: 'ghi', lgtoken: 'jkl', keep: 'mno' }],
      cookies: [{ name: 'sid', value: 'pqr' }],
    }
    expect(redactValue(given)).toEqual({
      password: '[redacted]',
      nested: [
        {
          accessToken: '[redacted]',
          'X-CSRF-Token': '[redacted]',
          api_key: '[redacted]',
          lgtoken: '[redacted]',
          keep: 'mno',
        },
      ],
      cookies: '[redacted]',
    })
  })

  it('leaves keys that only look a little like secrets', () => {
    for (const key of ['author', 'authors', 'pinned', 'tokenize', 'key', 'session', 'keyboard', 'passage'])
      expect([key, isSecretKey(key)]).toEqual([key, false])
  })

  it('replaces the values of named secret arguments', () => {
    expect(redactValue({ note: 'my diary', title: 'x' }, ['note'])).toEqual({
      note: '[redacted]',
      title: 'x',
    })
  })

  it('says whether a secret was there without telling it', () => {
    expect(redactValue({ token: null, password: '', secret: false })).toEqual({
      token: null,
      password: '',
      secret: false,
    })
  })

  it.each([
    ['Authorization: Bearer abcdef123456', 'abcdef123456'],
    ['GET https://a.example/x?lgtoken=12345%2B&q=cats', '12345'],
    ['sent cookie: sid=abc; other=def', 'abc'],
    ['https://user:pa55@host.example/', 'pa55'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl seen', 'eyJ'],
    ['{"authorization":"tok123"}', 'tok123'],
    ['{"refresh_token": "r3fr3sh", "q": 1}', 'r3fr3sh'],
    ['https://maps.example/geo?q=x&key=K3Y', 'K3Y'],
    ['X-Api-Key: 0123', '0123'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
    ['push with ghp_0123456789abcdefghijklmnopqrstuvwxyz failed', '0123456789'],
    ['AWS says AKIAIOSFODNN7EXAMPLE is unknown', 'AKIAIOSF'],
    ['xoxb-123456789012-abcdefghij', '123456789012'],
    [`fetch(url, { headers: { authorization: 'Token token="t0k", x' } })`, 't0k'],
    ['Authorization: Digest username="u", response="d1gest"', 'd1gest'],
    [`curl -H 'Cookie: a="c00k"; b=1' https://a.example/`, 'c00k'],
    [`{"password":"it's h1dden"}`, 'h1dden'],
    [String.raw`{ password: 'it\'s h1dden' }`, 'h1dden'],
    [`localStorage.setItem('authToken', "st0red")`, 'st0red'],
    [`form.append("password", 'it"s s3nt')`, 's3nt'],
  ])('finds the secret inside %s', (text, secret) => {
    const safe = redactText(text)
    expect(safe).not.toContain(secret)
    expect(safe).toContain('[redacted]')
  })

  it.each([
    'a bearer token is missing',
    'basic authentication',
    'tokens=3 of 5',
    'the key=value form',
    '["password", "email"]',
  ])('leaves %j alone', text => {
    expect(redactText(text)).toBe(text)
  })

  it('keeps the rest of an address', () => {
    expect(redactText('https://a.example/x?token=abc&q=cats')).toBe(
      'https://a.example/x?token=[redacted]&q=cats',
    )
  })

  it('turns an error into fields and redacts them too', () => {
    const cause = new Error('Bearer abcdefgh failed')
    const failure = new Failure('internal', { reason: 'x' }, { cause })
    const fields = redactValue({ error: failure })
    expect(fields).toMatchObject({
      error: { name: 'Failure', code: 'internal', cause: { message: 'Bearer [redacted] failed' } },
    })
  })

  it('survives circles and deep values', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    expect(redactValue(circle)).toEqual({ self: '[circular]' })
  })
})
