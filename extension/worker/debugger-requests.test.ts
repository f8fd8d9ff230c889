import { expect, it } from 'vitest'
import { failureOf, initiatorOf, isBodiless } from './debugger-requests.ts'

const failed = { requestId: '1', timestamp: 1 }
it.each([
  [{ errorText: 'net::ERR_ABORTED', canceled: true }, 'net::ERR_ABORTED'],
  [{ errorText: '', blockedReason: 'csp' }, 'failed (csp)'],
  [
    { errorText: 'net::ERR_FAILED', corsErrorStatus: { corsError: 'MissingAllowOriginHeader' } },
    'net::ERR_FAILED (MissingAllowOriginHeader)',
  ],
])('a request that failed says why, where the browser does: %j', (seen, told) => {
  expect(failureOf({ ...failed, ...seen })).toBe(told)
})

it.each([
  ['HEAD', 200, {}, true],
  ['DELETE', 204, {}, true],
  ['GET', 200, { 'Content-Length': '0' }, true],
  ['GET', 200, { 'Content-Length': '10' }, false],
])('whether a body comes is known from the headers: %s %i %j', (method, status, headers, is) => {
  expect(isBodiless(method, { status, statusText: '', headers, mimeType: '' })).toBe(is)
})

it('our hook has asked for nothing: it is the script that called it', () => {
  const callFrames = [{ url: 'chrome-extension://abc/capture-hook.js' }, { url: 'https://a.test/app.js' }]
  expect(initiatorOf({ stack: { callFrames } })).toBe('https://a.test/app.js')
})
