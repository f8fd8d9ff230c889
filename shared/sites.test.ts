import { expect, test } from 'vitest'
import type { SiteGrant } from './policy.ts'
import { isOfSite, wordFor } from './sites.ts'

const grant = (site: string, word: SiteGrant['word']): SiteGrant => ({
  ...{ site, word, session: null, granted_at: 0, expires_at: null },
})

test('an address belongs to its own site and to no other', () => {
  expect(isOfSite('https://mail.example.com/x', 'example.com')).toBe(true)
  expect(isOfSite('https://badexample.com/', 'example.com')).toBe(false)
  expect(isOfSite('http://127.0.0.1:80/', '127.0.0.1')).toBe(true)
  expect(isOfSite('http://127.0.0.1:8080/', '127.0.0.1:8081')).toBe(false)
  expect(isOfSite('chrome://example.com/', 'example.com')).toBe(false)
})

test('a never is the word that holds', () => {
  const grants = [
    grant('example.com', 'session'),
    grant('other.com', 'always'),
    grant('example.com', 'never'),
  ]
  expect(wordFor('https://example.com/', grants)?.word).toBe('never')
  expect(wordFor('https://other.com/', grants)?.word).toBe('always')
  expect(wordFor('https://third.com/', grants)).toBeNull()
})
