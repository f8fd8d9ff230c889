import { expect, it } from 'vitest'
import { FIRST_RULE, networkRules } from './route-rules.ts'

const conditionOf = (match: string) => {
  const route = { match, methods: [], kinds: [], action: { do: 'block' as const } }
  const { urlFilter, regexFilter } = networkRules(route, [1], FIRST_RULE).condition
  return urlFilter ?? new RegExp(regexFilter ?? '')
}

it.each([
  ['/api', '/api'],
  ['*/api*', '*/api*'],
  ['https://a.test/*', '|https://a.test/*'],
  ['*.png', '*.png|'],
  ['/竹 "x"', '/%E7%AB%B9%20%22x%22'],
  ['?q=a^b', /\?q=a\^b/],
  ['||a.test', /\|\|a\.test/],
  ['*/a|', /^.*\/a\|$/],
])('a route matches what is written, whatever it would mean to the browser: %s', (match, condition) => {
  expect(conditionOf(match)).toEqual(condition)
})
