import { watchWorker } from '../../ui/watch.ts'

watchWorker()
