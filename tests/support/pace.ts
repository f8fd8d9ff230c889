const SAMPLE_US = 300_000

/**
 * How many times longer than alone a program takes on this machine now, at least 1: the time that goes by over the
 * time that we are given. Limits in milliseconds are multiplied by it, so that a busy neighbour is no failure of ours.
 */
export function crowding(): number {
  const from = process.cpuUsage()
  const startedAt = performance.now()
  let used = 0
  while (used < SAMPLE_US) {
    const { user, system } = process.cpuUsage(from)
    used = user + system
  }
  return Math.max(1, ((performance.now() - startedAt) * 1000) / used)
}
