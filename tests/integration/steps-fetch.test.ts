import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LocalSite, localSite, type NetworkWorld, networkWorld } from '../support/network-world.ts'

let world: NetworkWorld
let site: LocalSite
beforeAll(async () => {
  world = await networkWorld()
  site = await localSite()
})
afterAll(async () => {
  await site.close()
  await world.dir.remove()
})
beforeEach(() => {
  site.seen.length = 0
  site.answer = seen => ({
    method: seen.method,
    url: seen.url,
    body: seen.body,
    type: seen.headers['content-type'],
  })
})
const run = (step: unknown, settings: Parameters<NetworkWorld['run']>[2] = {}) =>
  world.run(site.url, [step], settings)
const dataOf = async (step: unknown, settings = {}) => {
  const envelope = await run(step, settings)
  expect(envelope.error).toBeNull()
  return envelope.data
}

describe('a fetch', () => {
  it('asks with the query of its arguments and parses the JSON answer', async () => {
    const step = { fetch: { url: '/search.json', query: { q: '${{ args.query }}', none: null }, retry: 3 } }
    expect(await dataOf(step, { args: { query: '桥 & co' } })).toMatchObject({
      method: 'GET',
      url: '/search.json?q=%E6%A1%A5+%26+co',
    })
  })

  it.each([
    ['json', { json: { a: ['桥'] } }, '{"a":["桥"]}', 'application/json'],
    [
      'form',
      { form: { a: '桥', n: 1, none: null } },
      'a=%E6%A1%A5&n=1',
      'application/x-www-form-urlencoded;charset=UTF-8',
    ],
    ['text', { body: '桥' }, '桥', 'text/plain;charset=UTF-8'],
    ['bytes', { body_base64: 'AAEC' }, '\0\u0001\u0002', 'application/octet-stream'],
  ])('sends a body of %s', async (_, options, body, type) => {
    const step = { fetch: { url: '/in', method: 'POST', effect: 'read', ...options } }
    expect(await dataOf(step)).toMatchObject({ method: 'POST', body, type })
  })

  it('sends files and fields as multipart', async () => {
    const multipart = {
      title: '桥',
      tag: ['a', 'b'],
      photo: { base64: 'AAEC', filename: 'p.png', type: 'image/png' },
    }
    const { type, body } = (await dataOf({
      fetch: { url: '/in', method: 'POST', effect: 'read', multipart },
    })) as { type: string; body: string }
    const form = await new Response(Buffer.from(body), { headers: { 'content-type': type } }).formData()
    expect(form.get('title')).toBe('桥')
    expect(form.getAll('tag')).toEqual(['a', 'b'])
    expect(form.get('photo')).toMatchObject({ name: 'p.png', type: 'image/png', size: 3 })
  })

  it('takes an address alone, and fills its templates once only', async () => {
    expect(await dataOf({ fetch: '/a/${{ args.name }}' }, { args: { name: '${{ base }}' } })).toMatchObject({
      url: `/a/$%7B%7B%20base%20%7D%7D`,
    })
    const step = { fetch: { url: '/a', query: { q: '${{ args.name }}' } } }
    expect(await dataOf(step, { args: { name: '${{ base }}' } })).toMatchObject({
      url: '/a?q=%24%7B%7B+base+%7D%7D',
    })
  })

  it('gives bytes as base64, or the whole answer without its cookies', async () => {
    site.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'set-cookie': 'secret=1', etag: '"1"' })
      response.end(Buffer.from([0, 255, 1]))
    }
    expect(await dataOf({ fetch: { url: '/p.png', as: 'base64' } })).toBe('AP8B')
    const answer = await dataOf({ fetch: { url: '/p.png', as: 'response' } })
    expect(answer).toMatchObject({ status: 200, url: `${site.url}/p.png`, headers: { etag: '"1"' } })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  it('takes a status for an answer only where the adapter says so', async () => {
    site.answer = (_, response) => {
      response.statusCode = 404
      return { gone: true }
    }
    expect(await dataOf({ fetch: { url: '/x', accept_status: [404] } })).toEqual({ gone: true })
    expect((await run({ fetch: '/x' })).error?.code).toBe('http_error')
  })

  it('has one body', async () => {
    const { error } = await run({ fetch: { url: '/x', method: 'POST', effect: 'read', json: 1, body: '1' } })
    expect(error).toMatchObject({ code: 'adapter_invalid' })
    expect(error?.message).toContain('json and body')
  })
})

describe('a retry', () => {
  const failing = (times: number, status: number, headers: Record<string, string> = {}) => {
    let left = times
    site.answer = (_, response) => {
      if (left-- > 0) {
        response.writeHead(status, headers).end()
        return undefined
      }
      return ['ok']
    }
  }

  it('asks a read again until it succeeds', async () => {
    failing(2, 503)
    expect(await dataOf({ fetch: { url: '/x', retry: { attempts: 3, backoff_ms: 1 } } })).toEqual(['ok'])
    expect(site.seen).toHaveLength(3)
  })

  it('waits as long as the site asks, unless the run would be over by then', async () => {
    failing(1, 429, { 'retry-after': '1' })
    const begun = Date.now()
    expect(await dataOf({ fetch: { url: '/x', retry: { attempts: 2, backoff_ms: 1 } } })).toEqual(['ok'])
    expect(Date.now() - begun).toBeGreaterThanOrEqual(990)
    failing(1, 429, { 'retry-after': '60' })
    const { error } = await run({ fetch: { url: '/x', retry: 2 } }, { timeoutMs: 5000 })
    expect(error).toMatchObject({ code: 'rate_limited', details: { retry_after_s: 60 } })
  })

  it('never repeats what is not going to change, nor a write', async () => {
    failing(9, 404)
    expect((await run({ fetch: { url: '/x', retry: 3 } })).error?.code).toBe('http_error')
    expect(site.seen).toHaveLength(1)
    const write = { fetch: { url: '/x', method: 'POST', json: {}, retry: 3 } }
    expect((await run(write, { effect: 'write' })).error?.message).toContain('retry is for reads')
    expect(site.seen).toHaveLength(1)
  })
})

describe('a write', () => {
  it('whose answer is lost has an unknown outcome, and is sent once', async () => {
    site.answer = (_, response) => {
      response.destroy()
    }
    const { error } = await run({ fetch: { url: '/x', method: 'POST', json: {} } }, { effect: 'write' })
    expect(error).toMatchObject({ code: 'outcome_unknown', retryable: false })
    expect(site.seen).toHaveLength(1)
  })

  it('that never left is a plain network error', async () => {
    const gone = await localSite()
    await gone.close()
    const { error } = await world.run(gone.url, [{ fetch: { url: '/x', method: 'POST', json: {} } }], {
      effect: 'write',
    })
    expect(error?.code).toBe('network_error')
  })
})

describe('pages', () => {
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ id: from + i }))
  const ids = (data: unknown) => (data as { id: number }[]).map(({ id }) => id)
  const numberOf = (url: string, name: string) => Number(new URL(url, 'http://x').searchParams.get(name))

  it('are counted until one is empty', async () => {
    site.answer = ({ url }) => ({ list: numberOf(url, 'p') > 3 ? [] : rows(numberOf(url, 'p') * 10, 2) })
    const step = { fetch: { url: '/l?q=1', paginate: { by: 'page', param: 'p', items: 'list' } } }
    expect(ids(await dataOf(step))).toEqual([10, 11, 20, 21, 30, 31])
    expect(site.seen.map(({ url }) => url)).toEqual(['/l?q=1&p=1', '/l?q=1&p=2', '/l?q=1&p=3', '/l?q=1&p=4'])
  })

  it('end where a site gives the last one again and again', async () => {
    site.answer = ({ url }) => rows(Math.min(numberOf(url, 'page'), 2) * 10, 2)
    expect(ids(await dataOf({ fetch: { url: '/l', paginate: { by: 'page' } } }))).toEqual([10, 11, 20, 21])
    expect(site.seen).toHaveLength(3)
  })

  it('are reached by offset, also in a JSON body', async () => {
    const all = rows(0, 5)
    site.answer = ({ body }) => {
      const { offset, kind } = JSON.parse(body) as { offset: number; kind: string }
      return { [kind]: all.slice(offset, offset + 2) }
    }
    const paginate = { by: 'offset', in: 'json', items: 'x' }
    const step = { fetch: { url: '/l', method: 'POST', effect: 'read', json: { kind: 'x' }, paginate } }
    expect(ids(await dataOf(step))).toEqual([0, 1, 2, 3, 4])
  })

  it('are reached by a cursor at a JSON path, and end where there is none or an old one', async () => {
    const pages: Record<string, unknown> = {
      '': { items: rows(0, 1), meta: { next: 'b' } },
      b: { items: rows(1, 1), meta: { next: 'c' } },
      c: { items: rows(2, 1), meta: { next: 'b' } },
    }
    site.answer = ({ url }) => pages[new URL(url, 'http://x').searchParams.get('after') ?? '']
    const paginate = { by: 'cursor', param: 'after', next: 'meta.next', items: 'items' }
    expect(ids(await dataOf({ fetch: { url: '/l', paginate } }))).toEqual([0, 1, 2])
    expect(ids(await dataOf({ fetch: { url: '/l', paginate: { ...paginate, max_pages: 2 } } }))).toEqual([
      0, 1,
    ])
    expect(ids(await dataOf({ fetch: { url: '/l', paginate: { ...paginate, max_items: 1 } } }))).toEqual([0])
  })

  it('are reached by the Link header, on declared origins only', async () => {
    site.answer = ({ url }, response) => {
      if (url === '/l?a=1') response.setHeader('link', '</l?page=2>; rel="next", </l?page=9>; rel="last"')
      if (url === '/l?page=2') response.setHeader('link', '<http://127.0.0.1:9/l>; rel="next"')
      return rows(url === '/l?a=1' ? 0 : 1, 1)
    }
    const fetch = { url: '/l', query: { a: 1 }, paginate: { by: 'link', max_pages: 2 } }
    expect(ids(await dataOf({ fetch }))).toEqual([0, 1])
    const { error } = await run({ fetch: { ...fetch, paginate: { by: 'link' } } })
    expect(error?.code).toBe('origin_not_allowed')
  })

  it('fail when the first answer has no list where one is said to be', async () => {
    site.answer = () => ({ result: { rows: [] } })
    const { error } = await run({ fetch: { url: '/l', paginate: { by: 'page', items: 'result.list' } } })
    expect(error).toMatchObject({ code: 'select_missed', details: { keys: ['rows'] } })
  })

  it('of text are a list of texts', async () => {
    site.answer = ({ url }, response) => {
      response.end(numberOf(url, 'page') > 2 ? '' : `page ${numberOf(url, 'page')}`)
    }
    expect(await dataOf({ fetch_text: { url: '/l', paginate: { by: 'page' } } })).toEqual([
      'page 1',
      'page 2',
    ])
  })
})

describe('many requests of one step', () => {
  it('keep the order of the list, a few at a time', async () => {
    let open = 0
    let most = 0
    site.answer = ({ url }, response) => {
      most = Math.max(most, ++open)
      const id = Number(url.split('/').at(-1))
      setTimeout(
        () => {
          open--
          response.setHeader('content-type', 'application/json')
          response.end(JSON.stringify({ id }))
        },
        (5 - id) * 5,
      )
    }
    const fetch = { url: '/item/${{ item }}', for_each: '${{ args.ids }}', concurrency: 2 }
    expect(await dataOf({ fetch }, { args: { ids: [1, 2, 3, 4] } })).toEqual([1, 2, 3, 4].map(id => ({ id })))
    expect(most).toBe(2)
  })
})

describe('the cache', () => {
  it('gives a fresh answer again unasked, and asks a stale one whether it has changed', async () => {
    let version = 1
    site.answer = ({ headers }, response) => {
      response.setHeader('etag', `"${version}"`)
      if (headers['if-none-match'] === `"${version}"`) {
        response.writeHead(304).end()
        return undefined
      }
      return { version }
    }
    expect(await dataOf({ fetch: { url: '/fresh', cache: 60 } })).toEqual({ version: 1 })
    expect(await dataOf({ fetch: { url: '/fresh', cache: 60 } })).toEqual({ version: 1 })
    expect(site.seen).toHaveLength(1)
    expect(await dataOf({ fetch: { url: '/fresh', cache: 0 } })).toEqual({ version: 1 })
    expect(site.seen.at(-1)?.headers['if-none-match']).toBe('"1"')
    version = 2
    expect(await dataOf({ fetch: { url: '/fresh', cache: 0 } })).toEqual({ version: 2 })
    expect(site.seen).toHaveLength(3)
  })

  it('tells apart what is asked and as whom, and holds no secret in its names', async () => {
    const ask = (token: string) =>
      dataOf({ fetch: { url: '/own', headers: { authorization: token }, cache: 60 } })
    site.answer = ({ headers }, response) => {
      response.setHeader('set-cookie', 'session=planted-secret')
      return { you: headers.authorization?.length }
    }
    expect(await ask('Bearer planted-secret-1')).toEqual({ you: 23 })
    expect(await ask('Bearer planted-secret-22')).toEqual({ you: 24 })
    expect(site.seen).toHaveLength(2)
    const folder = join(world.dir.path, 'cache')
    for (const name of readdirSync(folder))
      expect(name + readFileSync(join(folder, name), 'utf8')).not.toContain('planted-secret')
  })

  it('keeps nothing that the site wants kept by nobody, and serves no write', async () => {
    site.answer = (_, response) => {
      response.setHeader('cache-control', 'private, no-store')
      return 1
    }
    await dataOf({ fetch: { url: '/never', cache: 60 } })
    await dataOf({ fetch: { url: '/never', cache: 60 } })
    expect(site.seen).toHaveLength(2)
    const write = { fetch: { url: '/never', method: 'DELETE', cache: 60 } }
    expect((await run(write, { effect: 'write' })).error?.code).toBe('adapter_invalid')
  })
})

describe("an adapter's rate", () => {
  it('paces all requests of its site over all runs, and refuses what has no time to wait', async () => {
    const once = world.kernel(site.url, [{ fetch: '/x' }], { rate: 6, timeoutMs: 2000 })
    expect((await once()).ok).toBe(true)
    expect((await once()).error).toMatchObject({ code: 'rate_limited', details: { retry_after_s: 10 } })
    expect(site.seen).toHaveLength(1)
  })
})
