import '../../worker/zod-jitless.ts'
import { Options } from '../../ui/options.tsx'
import { showPanel } from '../../ui/panel-parts.tsx'

showPanel(Options)
