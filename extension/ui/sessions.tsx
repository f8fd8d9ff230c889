import { useState } from 'preact/hooks'
import type { SessionInfo } from '../../shared/values.ts'
import type { Ask } from './panel-client.ts'
import { ahead, t } from './text.ts'

/** The sessions of agents in this browser, with their tabs. */
export function SessionList({
  sessions,
  now,
  ask,
}: {
  sessions: readonly SessionInfo[]
  now: number
  ask: Ask
}) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{t('sessionsHeading')}</h2>
      {sessions.length === 0 ? <p class="quiet">{t('sessionsNone')}</p> : null}
      {sessions.map(session => (
        <Session key={session.session} info={session} now={now} ask={ask} />
      ))}
    </section>
  )
}

function Session({ info, now, ask }: { info: SessionInfo; now: number; ask: Ask }) {
  const [problem, setProblem] = useState<string | null>(null)
  const { session, tabs, until } = info
  return (
    <article class="card">
      <p class="head">
        <span class="operation">{session}</span>
        <span class="quiet">{t('sessionUntil', ahead(until, now))}</span>
        <button
          type="button"
          class="plain"
          aria-label={`${t('sessionEnd')}: ${session}`}
          onClick={async () => setProblem(await ask({ k: 'end', session }))}
        >
          {t('sessionEnd')}
        </button>
      </p>
      <ul class="rows">
        {tabs.map(({ id, url, title }) => (
          <li key={id}>
            <span class="tab-title" title={url}>
              {title === '' ? url : title}
            </span>
            <button
              type="button"
              class="plain"
              aria-label={`${t('show')}: ${title}`}
              onClick={async () => setProblem(await ask({ k: 'show', session, tab: id }))}
            >
              {t('show')}
            </button>
          </li>
        ))}
      </ul>
      {problem === null ? null : <p class="problem">{problem}</p>}
    </article>
  )
}
