import { describe, expect, it, vi } from 'vitest'
import type { Status } from '../../shared/status.ts'
import { News } from './news.ts'

describe('news', () => {
  it('tell the newest record once for a burst of changes, and once more for what came after', async () => {
    vi.useFakeTimers()
    let operations = 0
    const news = new News(() => ({ operations }) as Status)
    const told: number[] = []
    const stop = news.onStatus(status => told.push(status.operations))
    for (operations = 1; operations < 5; operations++) news.changed()
    await vi.advanceTimersByTimeAsync(25)
    expect(told).toEqual([5])
    operations = 6
    news.changed()
    news.changed()
    await vi.advanceTimersByTimeAsync(100)
    expect(told).toEqual([5, 6])
    await vi.advanceTimersByTimeAsync(1000)
    expect(told).toEqual([5, 6])
    stop()
    news.changed()
    await vi.advanceTimersByTimeAsync(1000)
    expect(told).toEqual([5, 6])
    vi.useRealTimers()
  })

  it('tell run events as they come', () => {
    const news = new News(() => ({}) as Status)
    const told: string[] = []
    news.onRunEvent(event => told.push(event.run_id))
    news.ran({ type: 'progress', run_id: 'a', text: '' })
    news.close()
    news.ran({ type: 'progress', run_id: 'b', text: '' })
    expect(told).toEqual(['a'])
  })
})
