import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Asked, askForDevice, pollDevice, renew } from './protocol.ts'

let server: Server
afterEach(() => server.close())

/** A service that answers each request with the next of these, and notes what it was sent. */
async function serviceOf(answers: { status?: number; type?: string; body: string }[]) {
  const sent: string[] = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      sent.push(`${request.method} ${request.url} ${request.headers.accept} ${body}`)
      const {
        status = 200,
        type = 'application/json; charset=utf-8',
        body: text,
      } = answers.shift() ?? { body: '' }
      response.writeHead(status, { 'content-type': type }).end(text)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const asked: Asked = {
    service: 'github',
    clientId: 'Iv1.0123456789abcdef',
    endpoints: {
      issuer: origin,
      device: `${origin}/login/device/code`,
      token: `${origin}/login/oauth/access_token`,
      revocation: null,
    },
    signal: new AbortController().signal,
  }
  return { asked, sent }
}

/** Answers as GitHub documents them: errors come with status 200, scopes with commas, tokens without an end. */
const json = (value: unknown) => ({ body: JSON.stringify(value) })

describe('the device flow of GitHub, as it is documented', () => {
  it('is asked for and polled as the standard says', async () => {
    const { asked, sent } = await serviceOf([
      json({
        device_code: '3584d83530557fdd1f46af8289938c8ef79f9dc5',
        user_code: 'WDJB-MJHT',
        verification_uri: 'https://github.com/login/device',
        expires_in: 900,
        interval: 5,
      }),
      json({ error: 'authorization_pending', error_description: 'not yet', error_uri: 'https://docs' }),
      json({ error: 'slow_down', interval: 10 }),
      json({
        access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
        token_type: 'bearer',
        scope: 'repo,gist',
      }),
    ])
    const device = await askForDevice(asked, ['repo', 'gist'])
    expect(device).toMatchObject({ user_code: 'WDJB-MJHT', interval: 5 })
    const polls = [
      await pollDevice(asked, device.device_code),
      await pollDevice(asked, device.device_code),
      await pollDevice(asked, device.device_code),
    ]
    expect(polls).toEqual([
      { state: 'pending' },
      { state: 'slow_down', interval: 10 },
      {
        state: 'authorized',
        grant: {
          access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
          expires_in: null,
          refresh_token: null,
          scopes: ['repo', 'gist'],
        },
      },
    ])
    expect(sent[0]).toBe(
      'POST /login/device/code application/json scope=repo+gist&client_id=Iv1.0123456789abcdef',
    )
    expect(sent[1]).toContain('grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code')
  })

  it.each([
    ['access_denied', { state: 'denied' }],
    ['expired_token', { state: 'expired' }],
  ])('ends with %s', async (error, poll) => {
    const { asked } = await serviceOf([json({ error })])
    expect(await pollDevice(asked, 'x')).toEqual(poll)
  })

  it.each([
    ['incorrect_client_credentials', 'http_error'],
    ['device_flow_disabled', 'http_error'],
    ['unauthorized_client', 'config_invalid'],
  ])('tells %s', async (error, code) => {
    const { asked } = await serviceOf([json({ error, error_description: 'Said by GitHub.' })])
    await expect(pollDevice(asked, 'x')).rejects.toMatchObject({
      code,
      message: expect.stringContaining('Said by GitHub.'),
    })
  })

  it('renews tokens of an app, and knows the name that GitHub has for a bad refresh token', async () => {
    const { asked } = await serviceOf([
      json({
        access_token: 'ghu_a',
        expires_in: 28_800,
        refresh_token: 'ghr_b',
        token_type: 'bearer',
        scope: '',
      }),
      json({ error: 'bad_refresh_token', error_description: 'expired' }),
    ])
    expect(await renew(asked, 'ghr_a')).toEqual({
      access_token: 'ghu_a',
      expires_in: 28_800,
      refresh_token: 'ghr_b',
      scopes: [],
    })
    expect(await renew(asked, 'ghr_a')).toBeNull()
  })
})

describe('what a service answers beside the standard', () => {
  it.each([
    ['a fault of its own', { status: 503, body: 'busy' }, 'upstream_unavailable'],
    ['too many questions', { status: 429, body: '{}' }, 'rate_limited'],
    ['a page', { type: 'text/html', body: '<html>Sign in</html>' }, 'parse_failed'],
    ['half an answer', { body: '{"device_code":"secretsecret"}' }, 'parse_failed'],
  ])('is a failure of its kind, and tells no secret: %s', async (_, answer, code) => {
    const { asked } = await serviceOf([answer])
    const failure = await askForDevice(asked, []).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code })
    expect(JSON.stringify(failure)).not.toContain('secretsecret')
  })
})
