import type { WireHandlers } from '../../shared/wire.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { captureHandlers } from './capture.ts'
import { cookieHandlers } from './cookies.ts'
import { downloadHandlers } from './downloads.ts'
import { onGrantedSites } from './granted.ts'
import { httpHandlers } from './http.ts'
import { linkHandlers } from './link.ts'
import { networkHandlers } from './network.ts'
import { noticeHandlers } from './notice.ts'
import { pageHandlers } from './page.ts'
import { sessionHandlers } from './session.ts'
import { stateHandlers } from './state.ts'

/** Everything that the wire asks of an extension; a method without a handler does not compile. */
export const makeHandlers = (parts: WorkerParts): WireHandlers => onGrantedSites(allHandlers(parts), parts)

const allHandlers = (parts: WorkerParts): WireHandlers => ({
  ...linkHandlers(),
  ...sessionHandlers(parts),
  ...pageHandlers(parts),
  ...captureHandlers(parts),
  ...networkHandlers(parts),
  ...httpHandlers(parts),
  ...cookieHandlers(),
  ...stateHandlers(parts),
  ...downloadHandlers(parts),
  ...noticeHandlers(),
})
