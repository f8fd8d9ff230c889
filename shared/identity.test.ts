import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { EXTENSION_ID, EXTENSION_KEY } from './identity.ts'

test('the extension id is the one that Chromium derives from the pinned key', () => {
  const digest = createHash('sha256').update(Buffer.from(EXTENSION_KEY, 'base64')).digest('hex')
  const derived = [...digest.slice(0, 32)].map(hex => 'abcdefghijklmnop'[Number.parseInt(hex, 16)]).join('')
  expect(derived).toBe(EXTENSION_ID)
})
