import { Approvals } from './approvals.tsx'
import { LinkWay } from './link-way.tsx'
import { LastRun, Running } from './operations.tsx'
import { OpenOptions, PanelHeader, versions } from './panel-parts.tsx'
import { ProfileName } from './profile-name.tsx'
import { OpenSidePanel } from './side-panel-button.tsx'
import { usePanel } from './use-panel.ts'

/** What the toolbar button shows. */
export function Popup() {
  const { state, ask, now } = usePanel()
  if (state === null) return <main aria-busy="true" />
  const { link, profile, status } = state
  return (
    <main>
      <PanelHeader link={link} />
      <LinkWay link={link} onRetry={() => void ask({ k: 'connect' })} />
      {status === null ? null : <Approvals approvals={status.approvals} ask={ask} />}
      {status === null ? null : <Running runs={status.running} now={now} ask={ask} />}
      {status === null ? null : <LastRun run={status.last_run} now={now} />}
      <footer>
        <ProfileName name={profile.name} ask={ask} />
        <OpenSidePanel />
        <OpenOptions />
        <p class="quiet">{versions(state)}</p>
      </footer>
    </main>
  )
}
