import { expect, test } from 'vitest'
import { versionSkew } from './skew.ts'

const extension = (protocol: number) => ({ name: 'extension', mend: 'update the extension', protocol })
const companion = { name: 'companion', mend: 'npm i -g' }
const spoken = { newest: 5, oldest: 4 }

test.each([4, 5, 6])('protocol %i works with a companion of protocol 5', protocol => {
  expect(versionSkew(extension(protocol), companion, spoken)).toBeNull()
})

test('two versions behind, the extension is the side to update', () => {
  expect(versionSkew(extension(3), companion, spoken)?.message).toBe(
    'The extension speaks protocol 3; 4 or later is needed.',
  )
  expect(versionSkew(extension(3), companion, spoken)?.hint).toBe(
    'Update the extension: update the extension.',
  )
})

test('two versions ahead, the companion is the side to update', () => {
  expect(versionSkew(extension(7), companion, spoken)).toMatchObject({
    code: 'version_skew',
    params: { side: 'companion', have: '5', need: '6 or later', mend: 'npm i -g' },
  })
})
