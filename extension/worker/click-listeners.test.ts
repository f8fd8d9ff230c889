import { expect, test } from 'vitest'
import { isGuarded } from './click-listeners.ts'

test.each([
  'e => { if (e.isTrusted) open() }',
  'e=>{e.isTrusted&&open()}',
  'e=>e.isTrusted&&open()',
  'function (event) { if (!event.isTrusted) return; send() }',
  'function(t){if(!t.isTrusted){return}send()}',
  'onClick(event) { if (!event.isTrusted) return\n send() }',
  'async (e) => { if (!e.isTrusted) return; await send() }',
])('%s does nothing for a click that a script made', source => {
  expect(isGuarded(source)).toBe(true)
})

test.each([
  'e => send(e.isTrusted)',
  'e => { send(); if (e.isTrusted) open() }',
  'e => { if (e.isTrusted) open(); else warn() }',
  'function () { [native code] }',
  'e => { if (!e.isTrusted) warn(); send() }',
  '',
])('%s may have done something', source => {
  expect(isGuarded(source)).toBe(false)
})
