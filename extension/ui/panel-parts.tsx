import { type ComponentType, render } from 'preact'
import { browser } from 'wxt/browser'
import type { PanelState } from '../../shared/panel.ts'
import { language, t } from './text.ts'

/** Puts a panel into its page. */
export function showPanel(Panel: ComponentType): void {
  const root = document.querySelector('#root')
  document.documentElement.lang = language()
  if (root !== null) render(<Panel />, root)
}

/** Who we are, and whether the way to the companion is whole. */
export function PanelHeader({ link }: Pick<PanelState, 'link'>) {
  const linked = link.phase === 'linked'
  return (
    <header>
      <img src="/icon/32.png" width="24" height="24" alt="" />
      <h1>Uni-CLI Bridge</h1>
      <span class={`pill ${linked ? 'ok' : 'off'}`} role="status">
        {t(linked ? 'linked' : 'notLinked')}
      </span>
    </header>
  )
}

/** Leads to what is set once. */
export function OpenOptions() {
  return (
    <button type="button" class="plain" onClick={() => void browser.runtime.openOptionsPage()}>
      {t('openOptions')}
    </button>
  )
}

export function versions({ link, extension_version }: PanelState): string {
  const extension = t('extensionVersion', extension_version)
  return link.companion_version === null
    ? extension
    : `${extension} · ${t('companionVersion', link.companion_version)}`
}
