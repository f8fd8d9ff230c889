import { expect, it } from 'vitest'
import { globFits } from './debugger-routes.ts'

it.each([
  ['/api/', 'https://a.test/api/x', true],
  ['*', 'https://a.test/', true],
  ['*/api/*', 'https://a.test/api/x', true],
  ['https://a.test/*.json', 'https://a.test/x.json', true],
  ['https://a.test/*.json', 'https://a.test/x.json?y', false],
  ['*x*x', 'https://a.test/x', false],
])('the glob %s on %s: %s', (glob, url, fits) => {
  expect(globFits(glob, url)).toBe(fits)
})
