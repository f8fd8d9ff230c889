import { browser } from 'wxt/browser'
import { t } from './text.ts'

/** Opens the side panel of this window, in browsers that have one. It must follow a click at once. */
export function OpenSidePanel() {
  const open = sidePanelOpener()
  if (open === null) return null
  return (
    <button type="button" class="plain" onClick={open}>
      {t('openSidePanel')}
    </button>
  )
}

function sidePanelOpener(): (() => void) | null {
  if (browser.sidePanel !== undefined) {
    const current = browser.windows.getCurrent()
    return () =>
      void current.then(async ({ id }) => {
        if (id !== undefined) await browser.sidePanel.open({ windowId: id })
        window.close()
      })
  }
  const { sidebarAction } = browser as unknown as { sidebarAction?: { open(): Promise<void> } }
  return sidebarAction === undefined ? null : () => void sidebarAction.open().then(() => window.close())
}
