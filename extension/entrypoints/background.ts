import '../worker/zod-jitless.ts'
import { defineBackground } from 'wxt/utils/define-background'
import { makeHandlers } from '../handlers/index.ts'
import { personDeeds } from '../handlers/person.ts'
import { hearNavigations } from '../worker/navigation-events.ts'
import { startWorker } from '../worker/worker.ts'

export default defineBackground({
  type: 'module',
  main: () => {
    hearNavigations()
    startWorker(makeHandlers, personDeeds)
  },
})
