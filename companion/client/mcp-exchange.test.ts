import { describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { LineSplitter } from './lines.ts'
import { McpExchange, refusals } from './mcp-exchange.ts'

const request = (id: unknown, method: string) => JSON.stringify({ jsonrpc: '2.0', id, method })
const result = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: {} })
const idsOf = (lines: string[]) => lines.map(line => JSON.parse(line).id)

describe('an exchange', () => {
  it('knows which requests wait, by number and by text, alone and in batches', () => {
    const exchange = new McpExchange()
    exchange.sent(request(1, 'tools/list'))
    exchange.sent(request('1', 'tools/list'))
    exchange.sent(`[${request(2, 'ping')},${request(3, 'ping')}]`)
    exchange.sent(request('gone', 'tools/call'))
    exchange.sent('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}')
    exchange.sent('no json')
    expect(exchange.pending).toBe(4)
    expect(exchange.received(result(1))).toBe(true)
    expect(exchange.received(`[${result(2)}]`)).toBe(true)
    // A request of the server has an id of its own.
    expect(exchange.received(request(3, 'sampling/createMessage'))).toBe(true)
    const { answers, again } = exchange.lost()
    expect([...idsOf(answers), ...idsOf(again)]).toEqual([3, '1'])
    expect(exchange.pending).toBe(0)
  })

  it('asks the next companion again, once, what only looks, and answers for the rest', () => {
    const exchange = new McpExchange()
    exchange.sent(request(0, 'initialize'))
    exchange.sent(request(1, 'tools/list'))
    exchange.sent(request(2, 'tools/call'))
    const first = exchange.lost()
    expect(first.again).toEqual([request(0, 'initialize'), request(1, 'tools/list')])
    expect(first.answers.map(line => JSON.parse(line).error.data.code)).toEqual(['outcome_unknown'])
    expect(exchange.replay()).toBeNull()
    for (const line of first.again) exchange.sent(line)
    exchange.received(result(0))
    const second = exchange.lost()
    expect(second.again).toEqual([])
    expect(second.answers.map(line => JSON.parse(line))).toMatchObject([
      { id: 1, error: { code: -32603, data: { code: 'link_lost', retryable: true } } },
    ])
    exchange.sent(request(1, 'tools/list'))
    expect(exchange.lost().again).toHaveLength(1)
  })

  it('replays an open session under an id of its own and keeps the answer to itself', () => {
    const exchange = new McpExchange()
    exchange.sent(request(0, 'initialize'))
    exchange.received(result(0))
    exchange.lost()
    expect(exchange.replay()).toMatchObject({ initialized: null })
    exchange.lost()
    exchange.sent('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    const replay = exchange.replay()
    expect(JSON.parse(replay?.initialize ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 'unicli-replay',
      method: 'initialize',
    })
    expect(replay?.initialized).toContain('notifications/initialized')
    expect(exchange.isReplaying).toBe(true)
    expect(exchange.received(result('unicli-replay'))).toBe(false)
    expect(exchange.isReplaying).toBe(false)
    expect(exchange.received(result('unicli-replay'))).toBe(true)
  })

  it('refuses each request of a line, and nothing that wants no answer', () => {
    const failure = new Failure('companion_unavailable', { reason: 'it is gone' })
    const lines = refusals(`[${request(1, 'a')},{"method":"b"},${result(2)}]`, failure)
    expect(idsOf(lines)).toEqual([1])
    expect(JSON.parse(lines[0] ?? '').error).toMatchObject({
      code: -32603,
      data: { code: 'companion_unavailable', params: { reason: 'it is gone' } },
    })
  })
})

describe('lines', () => {
  it('come whole however they were cut', () => {
    const splitter = new LineSplitter()
    expect(splitter.push('{"a"')).toEqual([])
    expect(splitter.push(':1}\r\n\n{"b":2}\n{"c')).toEqual(['{"a":1}', '{"b":2}'])
    expect(splitter.push('":3}\n')).toEqual(['{"c":3}'])
    splitter.push('half')
    splitter.clear()
    expect(splitter.push('x\n')).toEqual(['x'])
  })
})
