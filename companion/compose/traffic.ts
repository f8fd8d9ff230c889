import { TrafficStore } from '../capture/store.ts'
import type { State } from './state.ts'

/** What browsers tell of requests, with what is long among the evidence. */
export const openTraffic = (
  { evidence, log }: Pick<State, 'evidence' | 'log'>,
  version: string,
): TrafficStore =>
  new TrafficStore({
    spill: evidence,
    version,
    onFault: error => log.error('a captured body could not be kept', { error }),
  })
