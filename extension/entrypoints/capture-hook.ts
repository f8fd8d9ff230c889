import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script'
import { startHook } from '../hook/hook.ts'

export default defineUnlistedScript({ globalName: false, main: startHook })
