import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ENVELOPE_KEY } from '../../companion/surfaces/mcp/calls.ts'
import { told } from '../../companion/surfaces/mcp/told.ts'
import { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { valid } from '../support/envelope-check.ts'
import { ERAS, type Era, type McpRig, startMcpRig } from '../support/mcp-rig.ts'
import { waitFor } from '../support/processes.ts'
import { browserOperations, operationOf, type Script, search, slow } from '../support/scripted-kernel.ts'

const click: Script[] = browserOperations().map(operation => ({
  operation,
  run: ({ args }) => ({ did: operation.command, args }),
}))
/** Goes on once its client has heard of it: the SDK's client drops progress that comes together with the result. */
let heard: () => void = () => undefined
const long: Script = {
  operation: operationOf('long.job'),
  run: async ({ emit, runId }) => {
    const isHeard = new Promise<void>(resolve => {
      heard = resolve
    })
    emit({ type: 'progress', run_id: runId, text: 'half' })
    await isHeard
    return 'done'
  },
}
const broken: Script = {
  operation: operationOf('shop.buy', { effect: 'destructive' }),
  run: () => {
    throw new Failure('outcome_unknown', { action: 'shop.buy' })
  },
}
const huge: Script = {
  operation: operationOf('wiki.dump'),
  run: () => Array.from({ length: 500 }, (_, index) => ({ index, text: 'x'.repeat(1000) })),
}

let rig: McpRig | undefined
const start = async () => {
  rig = await startMcpRig([...click, search, slow, broken, huge, long])
  return rig
}
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

const WAYS: [string, Era, (rig: McpRig, era: Era) => Promise<Client>][] = ERAS.flatMap(era => [
  [`${era.revision} over HTTP`, era, (of: McpRig) => of.overHttp(era)] as const,
  [`${era.revision} over a pipe`, era, (of: McpRig) => of.overPipe(era)] as const,
]).map(([name, era, connect]) => [name, era, connect])

const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args })

/** The one value of a result: its text and its structure must not differ. The browser's own tools give a text alone. */
function answerOf(result: Awaited<ReturnType<typeof call>>): Record<string, unknown> {
  const [content] = result.content
  if (content?.type !== 'text') throw new Error(`no text: ${JSON.stringify(result)}`)
  const envelope = result._meta?.[ENVELOPE_KEY]
  if (envelope !== undefined) {
    expect(result.structuredContent).toBeUndefined()
    expect(content.text).toBe(told(Envelope.parse(envelope)))
    return valid(envelope)
  }
  expect(result.structuredContent).toEqual(JSON.parse(content.text))
  expect(result.content).toHaveLength(1)
  return JSON.parse(content.text)
}

describe.each(WAYS)('MCP %s', (_, era, connect) => {
  it('agrees on the revision and says who it is and how to work', async () => {
    const client = await connect(await start(), era)

    expect(client.getNegotiatedProtocolVersion()).toBe(era.revision)
    expect(client.getServerVersion()).toMatchObject({ name: 'unicli', version: '0.0.0-test' })
    expect(client.getInstructions()).toMatch(/search.*describe.*run/s)
  })

  it('lists the same tools in the same order each time', async () => {
    const client = await connect(await start(), era)

    const first = await client.listTools()
    await call(client, 'search', { query: 'pages' })
    const second = await client.listTools()

    expect(second.tools).toEqual(first.tools)
    expect(first.tools.map(tool => tool.name).slice(0, 4)).toEqual([
      'search',
      'describe',
      'run',
      'browser_click',
    ])
  })

  it('searches, describes and runs an operation', async () => {
    const client = await connect(await start(), era)

    const found = answerOf(await call(client, 'search', { query: 'pages' }))
    const described = answerOf(await call(client, 'describe', { operation: 'wiki.search' }))
    const result = await call(client, 'run', {
      operation: 'wiki.search',
      args: { query: 'cats' },
      options: { profile: 'work' },
    })

    expect(found).toMatchObject({ operations: [{ operation: 'wiki.search', args: ['query', 'limit?'] }] })
    expect(described).toMatchObject({ operation: 'wiki.search', args: { required: ['query'] } })
    expect(result.isError ?? false).toBe(false)
    expect(valid(answerOf(result))).toMatchObject({
      ok: true,
      data: [{ title: 'cats' }],
      meta: { profile: 'work' },
    })
  })

  it("calls the browser's own tools", async () => {
    const client = await connect(await start(), era)

    const envelope = valid(answerOf(await call(client, 'browser_click', { target: 'd1e2' })))

    expect(envelope).toMatchObject({ ok: true, data: { did: 'click', args: { target: 'd1e2', count: 1 } } })
  })

  it.each([
    ['a failed run', 'run', { operation: 'shop.buy' }, 'outcome_unknown'],
    [
      'arguments of an operation that are not right',
      'run',
      { operation: 'wiki.search', args: { q: 1 } },
      'invalid_args',
    ],
    ['an operation that is not there', 'run', { operation: 'wiki.serch' }, 'unknown_operation'],
    ["arguments of the browser's tools", 'browser_click', {}, 'invalid_args'],
  ])('answers %s by a result that says so, with the envelope', async (__, name, args, code) => {
    const client = await connect(await start(), era)

    const result = await call(client, name, args)

    expect(result.isError).toBe(true)
    expect(valid(answerOf(result)).error?.code).toBe(code)
  })

  it.each([
    ['run', { args: {} }, 'usage'],
    ['run', { operation: 'wiki.search', options: { force: true } }, 'usage'],
    ['search', { query: 1 }, 'usage'],
    ['describe', { operation: 'wiki.serch' }, 'unknown_operation'],
  ])('answers a call of %s with %j by a result with the failure', async (name, args, code) => {
    const client = await connect(await start(), era)

    const result = await call(client, name, args)

    expect(result.isError).toBe(true)
    expect(answerOf(result)).toEqual({
      error: { code, message: expect.stringMatching(/./), suggestion: expect.stringMatching(/./) },
    })
  })

  it('answers an unknown tool by an error of the protocol', async () => {
    const client = await connect(await start(), era)

    await expect(call(client, 'wiki.search')).rejects.toMatchObject({ code: -32602 })
  })

  it('tells progress to those who ask, before the result', async () => {
    const client = await connect(await start(), era)
    const told: (string | undefined)[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => {
      told.push(message)
      if (message === 'half') heard()
    }

    const result = await client.callTool(
      { name: 'run', arguments: { operation: 'long.job' } },
      { onprogress },
    )

    expect(answerOf(result)).toMatchObject({ ok: true, data: 'done' })
    expect(told).toEqual(['long.job', 'half'])
  })

  it('bounds what it answers, the same in text and structure, and says what is left out', async () => {
    const client = await connect(await start(), era)

    const result = await call(client, 'run', { operation: 'wiki.dump' })
    const envelope = valid(answerOf(result))

    expect(JSON.stringify(envelope).length).toBeLessThanOrEqual(50_000)
    expect(envelope.meta.count).toBe(500)
    expect(envelope.meta.truncated).toMatch(/Left out: \d+ items/)
    expect(
      z
        .array(z.object({ index: z.number() }))
        .parse(envelope.data)
        .slice(0, 2),
    ).toEqual([{ index: 0 }, { index: 1 }])
  })

  it('keeps calls apart that go on at once', async () => {
    const client = await connect(await start(), era)
    const queries = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

    const titles = await Promise.all(
      queries.map(async query => {
        const value = answerOf(await call(client, 'run', { operation: 'wiki.search', args: { query } }))
        return z.object({ data: z.tuple([z.object({ title: z.string() })]) }).parse(value).data[0].title
      }),
    )

    expect(titles).toEqual(queries)
  })

  it('ends the run when its client goes away', async () => {
    const of = await start()
    const client = await connect(of, era)

    const ended = expect(call(client, 'run', { operation: 'slow.wait' })).rejects.toThrow()
    await waitFor(() => of.kernel.invocations.length === 1, { what: 'the run' })
    await client.close()

    await ended
    await waitFor(() => of.kernel.invocations[0]?.signal.aborted, { what: 'the signal to abort' })
  })
})

describe('cancelling one call', () => {
  it.each(WAYS)('works %s', async (_, era, connect) => {
    const of = await start()
    const client = await connect(of, era)
    const cancel = new AbortController()

    const slowly = { name: 'run', arguments: { operation: 'slow.wait' } }
    const ended = expect(client.callTool(slowly, { signal: cancel.signal })).rejects.toThrow()
    await waitFor(() => of.kernel.invocations.length === 1, { what: 'the run' })
    cancel.abort()

    await ended
    await waitFor(() => of.kernel.invocations[0]?.signal.aborted, { what: 'the signal to abort' })
    const next = await call(client, 'run', { operation: 'wiki.search', args: { query: 'x' } })
    expect(answerOf(next)).toMatchObject({ ok: true })
  })
})
