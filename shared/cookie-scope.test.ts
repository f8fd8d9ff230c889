import { expect, test } from 'vitest'
import { isSentTo } from './cookie-scope.ts'

const sent = (domain: string, path: string, url: string, secure = false): boolean =>
  isSentTo({ domain, path, secure }, new URL(url))

test('goes to its host, and below it only where its domain says so', () => {
  expect(sent('example.com', '/', 'https://example.com/')).toBe(true)
  expect(sent('example.com', '/', 'https://a.example.com/')).toBe(false)
  expect(sent('.example.com', '/', 'https://a.example.com/')).toBe(true)
  expect(sent('.example.com', '/', 'https://example.com/')).toBe(true)
  expect(sent('.example.com', '/', 'https://badexample.com/')).toBe(false)
})

test('goes to its path and below, not to paths that only begin alike', () => {
  expect(sent('example.com', '/a', 'https://example.com/a')).toBe(true)
  expect(sent('example.com', '/a', 'https://example.com/a/b')).toBe(true)
  expect(sent('example.com', '/a/', 'https://example.com/a/b')).toBe(true)
  expect(sent('example.com', '/a', 'https://example.com/ab')).toBe(false)
})

test('goes over no open line where it is secure, but for this machine', () => {
  expect(sent('example.com', '/', 'http://example.com/', true)).toBe(false)
  expect(sent('example.com', '/', 'wss://example.com/', true)).toBe(true)
  expect(sent('localhost', '/', 'http://localhost:3000/', true)).toBe(true)
})
