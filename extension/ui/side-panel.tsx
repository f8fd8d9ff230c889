import { Approvals } from './approvals.tsx'
import { LinkWay } from './link-way.tsx'
import { RecentRuns, Running } from './operations.tsx'
import { OpenOptions, PanelHeader, versions } from './panel-parts.tsx'
import { Pause } from './pause.tsx'
import { SessionList } from './sessions.tsx'
import { Sites, ThisPage } from './sites.tsx'
import { t } from './text.ts'
import { usePanel } from './use-panel.ts'

/** What stays open beside the pages: what waits for the person first, then what goes on and what went before. */
export function SidePanel() {
  const { state, ask, evidenceOf, now } = usePanel()
  if (state === null) return <main aria-busy="true" />
  const { link, status, sessions, page } = state
  return (
    <main>
      <PanelHeader link={link} />
      {link.phase === 'linked' ? null : <LinkWay link={link} onRetry={() => void ask({ k: 'connect' })} />}
      {status === null ? null : (
        <>
          <Approvals approvals={status.approvals} ask={ask} />
          {status.approvals.length === 0 ? <p class="quiet">{t('approvalsNone')}</p> : null}
          <Running runs={status.running} now={now} ask={ask} isDetailed />
          <Pause paused={status.paused ?? false} ask={ask} />
          <ThisPage page={page} status={status} sessions={sessions} ask={ask} />
          <Sites grants={status.sites ?? []} ask={ask} />
          <SessionList sessions={sessions} now={now} ask={ask} />
          <RecentRuns runs={status.recent ?? []} now={now} evidenceOf={evidenceOf} />
        </>
      )}
      <footer>
        {link.phase === 'linked' ? <LinkWay link={link} onRetry={() => void ask({ k: 'connect' })} /> : null}
        <OpenOptions />
        <p class="quiet">{versions(state)}</p>
      </footer>
    </main>
  )
}
