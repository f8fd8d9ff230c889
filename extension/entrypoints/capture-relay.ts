import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script'
import { startRelay } from '../hook/relay.ts'

export default defineUnlistedScript({ globalName: false, main: startRelay })
