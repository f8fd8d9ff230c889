import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Product, startProduct } from '../support/product.ts'

/** `unicli deliver` on the built product: notes on a server of the test, written by one of two ways. */
describe('unicli deliver', () => {
  let product: Product
  let server: Server
  const notes: string[] = []
  let post: (text: string) => number = () => 500
  let goalFile = ''

  beforeAll(async () => {
    product = await startProduct()
    server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const json = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (request.method === 'GET')
        return json(200, { total: notes.length, notes: notes.map(text => ({ text })) })
      if (request.url === '/old') return json(404, { error: 'gone' })
      const { text } = JSON.parse(body) as { text: string }
      return json(post(text), {})
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const folder = join(product.env.unicliHome, 'adapters', 'notes')
    mkdirSync(folder, { recursive: true })
    const adapter = (name: string, effect: string, ...lines: string[]) =>
      writeFileSync(
        join(folder, `${name}.yaml`),
        [
          `site: notes\nname: ${name}\ntype: web-api\nstrategy: public\neffect: ${effect}\nbase: ${base}`,
          ...lines,
          '',
        ].join('\n'),
      )
    adapter('list', 'read', 'pipeline:', '  - fetch: notes', '  - select: notes')
    const args = 'args: { text: { required: true } }\nexample: { text: hello }\npipeline:'
    adapter('old', 'write', args, '  - fetch: { url: old, method: POST, json: { text: "${{ args.text }}" } }')
    adapter('add', 'write', args, '  - fetch: { url: add, method: POST, json: { text: "${{ args.text }}" } }')
    goalFile = join(product.env.root, 'goal.yaml')
    writeFileSync(
      goalFile,
      `# What I want.
goal: There is a note that says 你好
checks:
  - operation: notes.list
    expect: "data | pluck('text') | contains('你好')"
attempts:
  - { operation: notes.old, args: { text: 你好 } }
  - { operation: notes.add, args: { text: 你好 } }
`,
    )
    await product.status(status => status.operations > 0)
  })
  afterAll(async () => {
    await product?.close()
    await new Promise(resolve => server?.close(resolve))
  })

  it('says that a person has to help, and goes on from there once they have', async () => {
    post = () => 401
    const blocked = await product.cli('deliver', goalFile, '-f', 'json')
    expect(blocked.json()).toMatchObject({ ok: false, error: { code: 'goal_blocked' }, exit_code: 77 })
    expect(blocked.code).toBe(77)
    post = text => {
      notes.push(text)
      return 201
    }
    const done = await product.cli('deliver', goalFile, '-f', 'json')
    expect(done.json()).toMatchObject({
      ok: true,
      data: {
        state: 'satisfied',
        checks: [{ operation: 'notes.list', holds: true }],
        tries: [
          { operation: 'notes.old', state: 'failed', code: 'http_error' },
          { operation: 'notes.add', state: 'failed', code: 'auth_required' },
          { operation: 'notes.add', state: 'done' },
        ],
      },
    })
  })

  it('leaves alone what is reached', async () => {
    expect((await product.cli('deliver', goalFile)).code).toBe(0)
    expect(notes).toEqual(['你好'])
  })

  it('names what is wrong with a goal file', async () => {
    writeFileSync(join(product.env.root, 'bad.yaml'), 'goal: x\nchecks: []\n')
    const bad = await product.cli('deliver', join(product.env.root, 'bad.yaml'), '-f', 'json')
    expect(bad.json()).toMatchObject({ error: { code: 'invalid_args' }, exit_code: 2 })
    const none = await product.cli('deliver', 'nowhere.yaml', '-f', 'json')
    expect(none.json()).toMatchObject({ error: { code: 'not_found' }, exit_code: 66 })
  })
})
