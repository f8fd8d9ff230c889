import '../../worker/zod-jitless.ts'
import { showPanel } from '../../ui/panel-parts.tsx'
import { Popup } from '../../ui/popup.tsx'

showPanel(Popup)
