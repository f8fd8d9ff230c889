import { expect, test } from 'vitest'
import { SiteGate } from './site-gate.ts'

test('what a session has named is forgotten with it, and with the site that the person takes back', () => {
  const gate = new SiteGate()
  const names = (session: string, origin: string) =>
    gate.enter({ session, granted: [origin], repeats: true })()
  for (const session of ['one', 'two']) names(session, 'https://a.test')
  names('two', 'https://b.test')
  gate.end('one')
  expect(gate.hasNamed('one', 'https://a.test')).toBe(false)
  expect(gate.hasNamed('two', 'https://a.test')).toBe(true)
  gate.forget('a.test')
  expect(gate.hasNamed('two', 'https://a.test')).toBe(false)
  expect(gate.hasNamed('two', 'https://b.test')).toBe(true)
})
