import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type NetworkWorld, networkWorld } from '../support/network-world.ts'

// Both by require: the two forms of graphql do not know each other's schemas.
const require = createRequire(import.meta.url)
const { buildSchema } = require('graphql') as typeof import('graphql')
const { createHandler } = require('graphql-http/lib/use/http') as typeof import('graphql-http/lib/use/http')

const schema = buildSchema(`
  type User { name: String!, friends: [String!] }
  type Query { user(login: String!): User, broken: String }
  type Mutation { rename(name: String!): String }
`)
const asked: string[] = []
const rootValue = {
  user: ({ login }: { login: string }) => ({ name: login.toUpperCase(), friends: ['桥'] }),
  broken: () => {
    throw new Error('the well is dry')
  },
  rename: ({ name }: { name: string }) => name,
}
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  if (request.url === '/graphql') return createHandler({ schema, rootValue })(request, response)
  if (request.url === '/gone') return request.socket.destroy()
  response.writeHead(502).end()
})

let world: NetworkWorld
let url = ''
beforeAll(async () => {
  world = await networkWorld()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await world.dir.remove()
})
const ask = (graphql: Record<string, unknown>, settings: Parameters<NetworkWorld['run']>[2] = {}) =>
  world.run(url, [{ graphql }], settings)

it('asks with variables and gives what lies below data', async () => {
  const query = 'query ($login: String!) { user(login: $login) { name friends } }'
  const graphql = { url: '/graphql', query, variables: { login: '${{ args.login }}' }, select: 'user' }
  expect((await ask(graphql, { args: { login: 'ada' } })).data).toEqual({ name: 'ADA', friends: ['桥'] })
})

it('makes a failure of the errors that the endpoint tells, unless a part is enough', async () => {
  const query = '{ broken user(login: "a") { name } }'
  expect((await ask({ query })).error).toMatchObject({
    code: 'remote_error',
    message: expect.stringContaining('the well is dry (broken)'),
  })
  expect((await ask({ query, partial: true, select: 'user' })).data).toEqual({ name: 'A' })
  expect((await ask({ query: '{ nothing }' })).error?.message).toContain('Cannot query field "nothing"')
  expect((await ask({ query: '{ user(login: "a") { name } }', select: 'person' })).error?.code).toBe(
    'select_missed',
  )
})

it('takes a mutation for a write, and never repeats it', async () => {
  const query = 'mutation { rename(name: "桥") }'
  const done = await ask({ query, select: 'rename' }, { effect: 'write' })
  expect(done).toMatchObject({ data: '桥', meta: { effect: 'write' } })
  asked.length = 0
  const lost = await ask({ url: '/gone', query }, { effect: 'write' })
  expect(lost.error?.code).toBe('outcome_unknown')
  expect((await ask({ url: '/gone', query, retry: 3 }, { effect: 'write' })).error?.code).toBe(
    'adapter_invalid',
  )
  expect(asked).toEqual(['POST /gone'])
})

it('asks a query again as it is told', async () => {
  asked.length = 0
  const failed = await ask({ url: '/bad', query: '{ broken }', retry: { attempts: 3, backoff_ms: 1 } })
  expect(failed.error?.code).toBe('upstream_unavailable')
  expect(asked).toHaveLength(3)
})
