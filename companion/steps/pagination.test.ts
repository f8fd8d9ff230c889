import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../ports/http.ts'
import type { RequestOptions } from './http-request.ts'
import { allPages, Pagination } from './pagination.ts'

const first: RequestOptions = { url: '/l', method: 'GET', headers: {} }
const response = (headers: Record<string, string>): HttpResponse => ({
  status: 200,
  url: 'https://site.example/l',
  headers,
  text: '[1]',
  bytes: new Uint8Array(),
})

describe('what names the next page and cannot be read', () => {
  it('is told as a Link header', async () => {
    const how = Pagination.parse({ by: 'link' })
    const ask = async () => ({ response: response({ link: 'next: /l?page=2' }), data: [1] })
    await expect(allPages(first, how, ask)).rejects.toMatchObject({ code: 'parse_failed' })
  })

  it('is told as an address in the answer', async () => {
    const how = Pagination.parse({ by: 'link', items: 'items', next: 'next' })
    const ask = async () => ({ response: response({}), data: { items: [1], next: 'http://' } })
    await expect(allPages(first, how, ask)).rejects.toMatchObject({ code: 'parse_failed' })
  })
})
