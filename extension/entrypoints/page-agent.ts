import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script'
import { installAgent } from '../page/agent.ts'

export default defineUnlistedScript({
  globalName: false,
  main: () => installAgent(chrome.runtime.getManifest().version),
})
