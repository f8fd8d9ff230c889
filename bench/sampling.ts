/** Milliseconds of one call each, after as many as `warm` that do not count. */
export async function sample(
  count: number,
  call: () => Promise<unknown>,
  warm = Math.min(20, count),
): Promise<number[]> {
  for (let at = 0; at < warm; at++) await call()
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const start = performance.now()
    await call()
    times.push(performance.now() - start)
  }
  return times
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const p50 = (times: readonly number[]): number => percentile(times, 0.5)
export const p95 = (times: readonly number[]): number => percentile(times, 0.95)

/** One row of a table, with how it stands to the baseline of the same run. */
export const row = (what: string, times: readonly number[], baseline: readonly number[]) => ({
  what,
  n: times.length,
  'p50 ms': p50(times),
  'p95 ms': p95(times),
  'ratio p50': p50(times) / p50(baseline),
})
