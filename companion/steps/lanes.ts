/**
 * Works on items, `width` of them at a time, and gives the answers in the order of the items. After a failure nothing
 * more is begun and what goes on is waited for, so that nothing acts behind the back of who deals with the failure.
 */
export async function inLanes<T, A>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<A>,
): Promise<A[]> {
  const answers = new Array<A>(items.length)
  const todo = items.entries()
  let failed: { error: unknown } | null = null
  const lane = async () => {
    for (const [index, item] of todo) {
      if (failed !== null) return
      try {
        answers[index] = await work(item, index)
      } catch (error) {
        failed ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
  rethrow(failed)
  return answers
}

function rethrow(failed: { error: unknown } | null): void {
  if (failed !== null) throw failed.error
}
