import '../../worker/zod-jitless.ts'
import { showPanel } from '../../ui/panel-parts.tsx'
import { SidePanel } from '../../ui/side-panel.tsx'

showPanel(SidePanel)
