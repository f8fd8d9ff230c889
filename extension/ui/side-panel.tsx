import { Approvals } from './approvals.tsx'
import { LinkWay } from './link-way.tsx'
import { RecentRuns, Running } from './operations.tsx'
import { PanelHeader, versions } from './panel-parts.tsx'
import { t } from './text.ts'
import { usePanel } from './use-panel.ts'

/** What stays open beside the pages: what waits for the person first, then what goes on and what went before. */
export function SidePanel() {
  const { state, ask, now } = usePanel()
  if (state === null) return <main aria-busy="true" />
  const { link, status } = state
  return (
    <main>
      <PanelHeader link={link} />
      {status === null ? null : <Approvals approvals={status.approvals} ask={ask} />}
      {status?.approvals.length === 0 ? <p class="quiet">{t('approvalsNone')}</p> : null}
      <LinkWay link={link} onRetry={() => void ask({ k: 'connect' })} />
      {status === null ? null : <Running runs={status.running} now={now} ask={ask} />}
      {status === null ? null : <RecentRuns runs={status.recent ?? []} now={now} />}
      <footer>
        <p class="quiet">{versions(state)}</p>
      </footer>
    </main>
  )
}
