import type { Run } from '../run-state.ts'

/** A layer holds one policy of every run: it may refuse, wait, bound or note, and calls `next` once at most. */
export type Layer = (run: Run, next: () => Promise<unknown>) => Promise<unknown>

/** Runs `act` inside the layers, the first outermost. */
export const through = (layers: readonly Layer[], run: Run, act: () => Promise<unknown>): Promise<unknown> =>
  layers.reduceRight<() => Promise<unknown>>((next, layer) => () => layer(run, next), act)()
