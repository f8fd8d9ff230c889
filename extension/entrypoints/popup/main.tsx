import '../../worker/zod-jitless.ts'
import { showPopup } from '../../ui/popup.tsx'

showPopup()
