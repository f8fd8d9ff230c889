import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../ports/http.ts'
import { failOnStatus, jsonOf, notWanted, textOf } from './answers.ts'
import { WALL_MARKS, wallIn } from './walls.ts'

const URL_ = 'https://site.example/api/items'
const page = (title: string, body: string): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`
const answer = (text: string, over: Partial<HttpResponse> = {}): HttpResponse => ({
  status: 200,
  url: URL_,
  headers: { 'content-type': text.trimStart().startsWith('<') ? 'text/html' : 'application/json' },
  text,
  bytes: Buffer.from(text),
  ...over,
})
const thrown = (work: () => unknown): unknown => {
  try {
    return { gave: work() }
  } catch (error) {
    return error
  }
}

/** One page for each pattern of the table, as the maker of the wall serves it. */
const SHOWN: Record<string, { html: string; url?: string }> = {
  cloudflare: { html: page('x', '<script>window._cf_chl_opt={}</script>') },
  perimeterx: { html: page('x', '<div id="px-captcha"></div>') },
  datadome: { html: page('x', '<script src="https://ct.captcha-delivery.com/c.js"></script>') },
  'aws-waf': { html: page('x', '<script>AwsWafIntegration.checkForceRefresh()</script>') },
  akamai: { html: page('x', '<div id="sec-if-cpt-container"></div>') },
  imperva: { html: page('x', '<iframe src="/_Incapsula_Resource?SWUDNSAI=31&x=1"></iframe>') },
  'checking-words': { html: page('Just a moment...', '') },
  'password-field': { html: page('Welcome', '<form><input name=u><input type="password"></form>') },
  turnstile: { html: page('x', '<div class="cf-turnstile" data-sitekey="k"></div>') },
  recaptcha: { html: page('x', '<div class="g-recaptcha" data-sitekey="k"></div>') },
  hcaptcha: { html: page('x', '<script src="https://js.hcaptcha.com/1/api.js"></script>') },
  arkose: { html: page('x', '<script src="https://client-api.arkoselabs.com/v2/api.js"></script>') },
  geetest: { html: page('x', '<script>initGeetest({})</script>') },
  tencent: { html: page('x', '<script src="https://turing.captcha.qcloud.com/TCaptcha.js"></script>') },
  aliyun: { html: page('x', '<script src="//o.alicdn.com/AliyunCaptcha.js"></script>') },
  'captcha-words': { html: page('Are you a robot?', '<p>Please.</p>') },
  'captcha-prompt': { html: page('Hello', '<p>Please complete the captcha to go on.</p>') },
  'rate-words': { html: page('Too Many Requests', '') },
  'rate-prompt': { html: page('Sorry', '<p>You have been rate limited.</p>') },
  'consent-host': { html: page('x', '<p>Hi</p>'), url: 'https://consent.site.example/m?continue=1' },
  'consent-words': { html: page('Before you continue to Site', '') },
  'consent-form': {
    html: page('x', '<form action="https://site.example/save-consent"><button>Accept</button></form>'),
  },
  'login-address': { html: page('x', '<p>Hi</p>'), url: 'https://site.example/users/sign_in?next=1' },
  'login-words': { html: page('Log in to Site', '<p>One code by mail.</p>') },
  'not-found-words': { html: page('Page not found | Site', '') },
}

describe('the table of walls', () => {
  it.each(WALL_MARKS.map(mark => [mark.id, mark] as const))('%s tells its wall', (id, mark) => {
    const shown = SHOWN[id]
    expect(shown).toBeDefined()
    if (shown === undefined) return
    const found = wallIn({ html: shown.html, url: shown.url ?? URL_ }, 'json')
    expect({ id: found?.id, kind: found?.kind }).toEqual({ id, kind: mark.kind })
  })
})

const PROSE =
  '<p>It is a long article, and it goes on about what people tried and what came of it.</p>'.repeat(30)

describe('what is data although it speaks of walls', () => {
  it.each([
    [
      'an article about captchas',
      page('How a CAPTCHA works', `<h1>CAPTCHA</h1>${PROSE}<p>Complete the captcha to go on.</p>`),
    ],
    [
      'an article whose comment form has a captcha',
      page('News', `${PROSE}<div class="g-recaptcha" data-sitekey="k"></div>`),
    ],
    ['a front page with a sign-in box', page('News', `${PROSE}<form><input type="password"></form>`)],
    ['an article about the error 404', page('404: the story of an error', `<h1>Page not found</h1>${PROSE}`)],
    ['an article about rate limits', page('Rate limits', `<h1>Too Many Requests</h1>${PROSE}`)],
    ['an article with a banner about cookies', page('News', `<h2>We use cookies</h2>${PROSE}`)],
    ['a short page', page('Opening hours', '<p>Open from nine to five.</p>')],
    ['a short page that names a login', page('Help', '<p>You can log in from the menu.</p>')],
  ])('%s, when a page was wanted', (_, html) => {
    expect(textOf(answer(html))).toBe(html)
  })

  it.each([
    ['rows about captchas', { items: [{ title: 'Solve the captcha', error: 'rate_limited' }] }],
    ['a record with a message beside its data', { message: 'Too many requests are bad', id: 7 }],
    [
      'an error that only its adapter knows',
      { error: { code: 'readapidenied', info: 'You need read permission' } },
    ],
    ['an empty object', {}],
  ])('%s, when JSON was wanted', (_, value) => {
    expect(jsonOf(answer(JSON.stringify(value)), true)).toEqual(value)
  })
})

describe('an answer that should be JSON', () => {
  it.each([
    ['a login form', page('Site', '<input type="password">'), 'auth_required'],
    [
      'a login form with a captcha in it',
      page('Site', '<input type="password"><div class="g-recaptcha">'),
      'auth_required',
    ],
    ['a challenge', page('Just a moment...', ''), 'challenge_required'],
    ['a consent page', page('Before you continue', ''), 'challenge_required'],
    ['a soft rate limit', page('Slow down', ''), 'rate_limited'],
    ['a page that is not there', page('404 Not Found', ''), 'not_data'],
    ['a page without any mark', page('Welcome', '<p>Hello</p>'), 'not_data'],
    ['nothing', '', 'not_data'],
    ['plain words of a proxy', 'Too many requests, try again later', 'rate_limited'],
    ['half of it', '{"a": [1, 2', 'parse_failed'],
    ['a rate limit in JSON', '{"error":{"code":"ratelimited","info":"wait"}}', 'rate_limited'],
    ['a rate limit in Chinese', '{"code":-412,"message":"请求过于频繁"}', 'rate_limited'],
    ['a captcha in JSON', '{"error":"captcha_required"}', 'challenge_required'],
  ])('fails on %s', (_, text, code) => {
    expect(thrown(() => jsonOf(answer(text), true))).toMatchObject({ code })
  })

  it('may be nothing when it answers a write', () => {
    expect(jsonOf(answer(''), false)).toBeNull()
    expect(jsonOf(answer('', { status: 204 }), true)).toBeNull()
  })

  it('is led to a login by its address', () => {
    const led = answer(page('Site', '<p>Hi</p>'), { url: 'https://site.example/login?next=%2Fapi' })
    expect(thrown(() => jsonOf(led, true))).toMatchObject({ code: 'auth_required' })
  })
})

describe('a status that refuses', () => {
  it.each([
    [
      '429',
      { status: 429, headers: { 'retry-after': '7' } },
      { code: 'rate_limited', params: { retry_after_s: 7 } },
    ],
    [
      '503 with Retry-After',
      { status: 503, headers: { 'retry-after': '9' } },
      { code: 'rate_limited', params: { retry_after_s: 9 } },
    ],
    ['503 alone', { status: 503 }, { code: 'upstream_unavailable' }],
    [
      '403 with nothing left',
      { status: 403, headers: { 'x-ratelimit-remaining': '0' } },
      { code: 'rate_limited' },
    ],
    [
      '403 with a challenge',
      { status: 403, text: page('Just a moment...', '') },
      { code: 'challenge_required' },
    ],
    ['403', { status: 403, text: '{"message":"no"}' }, { code: 'permission_denied' }],
    ['401', { status: 401 }, { code: 'auth_required' }],
    ['404', { status: 404 }, { code: 'http_error' }],
    ['410', { status: 410 }, { code: 'http_error' }],
  ])('%s is told apart', (_, over, failure) => {
    expect(thrown(() => failOnStatus(answer('{}', over)))).toMatchObject(failure)
  })
})

it('says of a page in place of a feed what it is', () => {
  expect(notWanted(page('Log in to Site', ''), URL_)).toMatchObject({ code: 'auth_required' })
  expect(notWanted(page('Hello', ''), URL_)).toMatchObject({ code: 'not_data' })
  expect(notWanted('<rss version="2.0"></rss>', URL_)).toBeNull()
})
