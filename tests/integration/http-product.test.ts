import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { validate } from '@readme/openapi-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Product, startProduct } from '../support/product.ts'

describe('HTTP of the built product', () => {
  let product: Product
  beforeAll(async () => {
    product = await startProduct()
  })
  afterAll(() => product?.close())

  it('serves an OpenAPI document of the whole catalogue that a stock validator accepts', async () => {
    const document = await (await product.http('/openapi.json')).json()
    const { operations } = await (await product.http('/v1/operations')).json()

    for (const { operation } of operations)
      expect(document.paths).toHaveProperty([`/v1/operations/${operation.replace('.', '/')}`, 'post'])
    expect(await validate(document)).toMatchObject({ valid: true })
  })

  it('has all that its docs page asks for', async () => {
    const { http_url: url } = await product.discovery()
    const page = await (await fetch(`${url}/docs`)).text()
    const paths = [...page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path)

    expect(paths).toHaveLength(4)
    for (const path of paths) expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200])
  })

  it('keeps its token in a file that only its owner can read', async () => {
    const { mode } = await stat(`${product.env.unicliHome}/token`)

    expect(mode & 0o077).toBe(0)
  })

  it('turns away a sender of half a request after a while, and answers others meanwhile', async () => {
    const { http_url: url } = await product.discovery()
    const slow = connect(Number(new URL(url).port), '127.0.0.1')
    slow.write('POST /v1/operations/browser/click HTTP/1.1\r\nHost: ')

    expect((await product.http('/v1/health')).status).toBe(200)

    expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 /)
  })
})
