import { expect, test } from 'vitest'
import { Failure } from './failures.ts'

test('cuts an address that is too long for anybody to read, in its text and in its details', () => {
  const url = `https://example.com/${'长'.repeat(100_000)}`
  const failure = new Failure('navigation_failed', { url, reason: 'it was refused' })
  expect(failure.message).toMatch(/^https:\/\/example\.com\/长{1980}… did not load \(it was refused\)\.$/)
  expect(failure.toJSON().params).toEqual({ url: `${url.slice(0, 2000)}…`, reason: 'it was refused' })
})
