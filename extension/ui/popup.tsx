import { render } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { browser } from 'wxt/browser'
import type { PanelState } from '../../shared/panel.ts'
import { Approvals } from './approvals.tsx'
import { LinkWay } from './link-way.tsx'
import { LastRun, Running } from './operations.tsx'
import { connectPanel } from './panel-client.ts'
import { ProfileName } from './profile-name.tsx'
import { t } from './text.ts'

export function showPopup(): void {
  const root = document.querySelector('#root')
  document.documentElement.lang = browser.i18n.getUILanguage()
  if (root !== null) render(<Popup />, root)
}

function Popup() {
  const [state, setState] = useState<PanelState | null>(null)
  const ask = useMemo(() => connectPanel(setState, t('workerLost')), [])
  const now = useNow()
  if (state === null) return <main aria-busy="true" />
  const { link, profile, status } = state
  return (
    <main>
      <header>
        <img src="/icon/32.png" width="24" height="24" alt="" />
        <h1>Uni-CLI Bridge</h1>
        <span class={`pill ${link.phase === 'linked' ? 'ok' : 'off'}`} role="status">
          {t(link.phase === 'linked' ? 'linked' : 'notLinked')}
        </span>
      </header>
      <LinkWay link={link} onRetry={() => void ask({ k: 'connect' })} />
      {status === null ? null : <Approvals approvals={status.approvals} ask={ask} />}
      {status === null ? null : <Running runs={status.running} now={now} ask={ask} />}
      {status === null ? null : <LastRun run={status.last_run} now={now} />}
      <footer>
        <ProfileName name={profile.name} ask={ask} />
        <p class="quiet">{versions(state)}</p>
      </footer>
    </main>
  )
}

function versions({ link, extension_version }: PanelState): string {
  const extension = t('extensionVersion', extension_version)
  return link.companion_version === null
    ? extension
    : `${extension} · ${t('companionVersion', link.companion_version)}`
}

/** The time, anew each second, for what is told as "3 seconds ago". */
function useNow(): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}
