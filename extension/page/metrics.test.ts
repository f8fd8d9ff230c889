import { describe, expect, test } from 'vitest'
import { interactionDelay, worstShift } from './metrics.ts'

describe('worstShift', () => {
  const shift = (startTime: number, value: number, hadRecentInput = false) => ({
    startTime,
    value,
    hadRecentInput,
  })

  test('adds up a burst and takes the worst of all', () => {
    expect(worstShift([])).toBe(0)
    expect(worstShift([shift(100, 0.1), shift(600, 0.2), shift(3000, 0.25)])).toBe(0.3)
  })

  test('ends a burst after five seconds, and leaves out what follows input', () => {
    const steady = Array.from({ length: 8 }, (_, index) => shift(index * 900, 0.1))
    expect(worstShift(steady)).toBe(0.6)
    expect(worstShift([shift(100, 0.5, true), shift(200, 0.1)])).toBe(0.1)
  })
})

describe('interactionDelay', () => {
  test('counts the longest event of an interaction, and no event that is none', () => {
    expect(interactionDelay([])).toBeNull()
    expect(interactionDelay([{ duration: 900 }])).toBeNull()
    const click = [
      { interactionId: 1, duration: 24 },
      { interactionId: 1, duration: 80 },
      { interactionId: 2, duration: 40 },
    ]
    expect(interactionDelay(click)).toBe(80)
  })

  test('leaves out one outlier in fifty', () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ interactionId: index + 1, duration: index + 1 }))
    expect(interactionDelay(many)).toBe(59)
  })
})
