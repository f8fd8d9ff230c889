import type { WireHandlers } from '../../shared/wire.ts'

export const linkHandlers = (): Pick<WireHandlers, 'link.ping'> => ({
  'link.ping': async () => ({ at: Date.now() }),
})
