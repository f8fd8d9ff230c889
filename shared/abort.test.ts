import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { orAborted } from './abort.ts'

const never = new Promise<never>(() => undefined)

describe('work that may be aborted', () => {
  it('gives its answer or its failure, and leaves no listener behind', async () => {
    const { signal } = new AbortController()

    expect(await orAborted(Promise.resolve(1), signal)).toBe(1)
    await expect(orAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')

    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('ends with the reason when it is aborted meanwhile, or was before', async () => {
    const client = new AbortController()
    const reason = new Error('too late')
    const waiting = orAborted(never, client.signal)

    client.abort(reason)

    await expect(waiting).rejects.toBe(reason)
    await expect(orAborted(never, client.signal)).rejects.toBe(reason)
  })

  it('drops a failure that comes after the end', async () => {
    const client = new AbortController()
    let fail: (error: Error) => void = () => undefined
    const waiting = orAborted(
      new Promise((_, reject) => {
        fail = reject
      }),
      client.signal,
    )

    client.abort(new Error('too late'))
    fail(new Error('broken'))

    await expect(waiting).rejects.toThrow('too late')
  })
})
