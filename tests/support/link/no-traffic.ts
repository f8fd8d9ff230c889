import { TrafficStore } from '../../../companion/capture/store.ts'

/** For companions of which nobody asks what was captured. */
export const noTraffic = (): TrafficStore =>
  new TrafficStore({
    spill: { put: () => '', get: () => null },
    version: 'test',
    onFault: error => {
      throw error
    },
  })
