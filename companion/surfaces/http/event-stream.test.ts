import { describe, expect, it, vi } from 'vitest'
import { openEventStream, streamFormat } from './event-stream.ts'

describe('format of a stream', () => {
  it.each([
    [undefined, null],
    ['*/*', null],
    ['application/json', null],
    ['text/event-stream', 'sse'],
    ['Text/Event-Stream; q=1', 'sse'],
    ['application/x-ndjson', 'ndjson'],
    ['application/json, text/event-stream', null],
    ['text/html, application/x-ndjson, text/event-stream', 'ndjson'],
  ])('is, for Accept: %s, %s', (accept, format) => {
    expect(streamFormat(accept)).toBe(format)
  })
})

describe('event stream', () => {
  it('keeps a silent stream of server-sent events alive with comments', async () => {
    vi.useFakeTimers()
    const stream = openEventStream('sse', () => undefined)
    const reader = stream.response.body?.getReader()

    vi.advanceTimersByTime(15_000)
    vi.useRealTimers()

    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value)).toBe(': keep-alive\n\n')
    stream.end()
  })

  it('is over once, whoever ends it', async () => {
    const onEnd = vi.fn()
    const stream = openEventStream('ndjson', onEnd)

    await stream.response.body?.cancel()
    stream.end()

    expect(onEnd).toHaveBeenCalledOnce()
    expect(stream.send('late', {})).toBe(false)
  })

  it('leaves out events for a reader who is too far behind, and never what is forced', async () => {
    const stream = openEventStream('ndjson', () => undefined)
    const big = { text: 'x'.repeat(600_000) }

    const sent = [stream.send('a', big), stream.send('b', big), stream.send('c', big)]
    const forced = stream.send('last', { last: true }, { force: true })
    stream.end()

    expect(sent).toEqual([true, true, false])
    expect(forced).toBe(true)
    expect((await stream.response.text()).trim().split('\n').at(-1)).toBe('{"last":true}')
  })

  it('writes one event per line break free block', async () => {
    const stream = openEventStream('sse', () => undefined)
    stream.send('progress', { text: 'line\nbreak' })
    stream.end()

    expect(await stream.response.text()).toBe('event: progress\ndata: {"text":"line\\nbreak"}\n\n')
  })
})
