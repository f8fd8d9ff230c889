import { useState } from 'preact/hooks'
import type { RunBrief } from '../../shared/status.ts'
import { Command } from './command.tsx'
import { EvidenceOfRun } from './evidence.tsx'
import type { Ask, EvidenceOf } from './panel-client.ts'
import { ago, duration, t } from './text.ts'

interface RunningProps {
  runs: readonly RunBrief[]
  now: number
  ask: Ask
  /** Where there is room: the site and step of each, with buttons of its own. */
  isDetailed?: boolean
}

/** What runs now, with the button that stops it. */
export function Running({ runs, now, ask, isDetailed = false }: RunningProps) {
  const [problem, setProblem] = useState<string | null>(null)
  if (runs.length === 0) return null
  return (
    <section aria-labelledby="running">
      <h2 id="running">{t('runningHeading')}</h2>
      <ul class="runs">
        {runs.map(run => (
          <li key={run.run_id}>
            <span class="operation">{run.operation}</span>
            <span class="quiet">
              {run.state === 'waiting' ? t('waiting') : duration(Math.max(0, now - run.started_at))}
            </span>
            {isDetailed ? <Details run={run} ask={ask} onProblem={setProblem} /> : null}
          </li>
        ))}
      </ul>
      <button type="button" class="stop-all" onClick={async () => setProblem(await ask({ k: 'stop' }))}>
        {t('stop')}
      </button>
      {problem === null ? null : <p class="problem">{problem}</p>}
    </section>
  )
}

interface DetailsProps {
  run: RunBrief
  ask: Ask
  onProblem: (problem: string | null) => void
}

function Details({ run, ask, onProblem }: DetailsProps) {
  const { run_id, operation, site, step, session } = run
  const isStep = step !== undefined && !operation.endsWith(`.${step}`)
  return (
    <span class="deeds">
      <span class="quiet">{[site, isStep ? step : undefined].filter(Boolean).join(' · ')}</span>
      {session === undefined ? null : (
        <button
          type="button"
          class="plain"
          aria-label={`${t('show')}: ${operation}`}
          onClick={async () => onProblem(await ask({ k: 'show', session }))}
        >
          {t('show')}
        </button>
      )}
      <button
        type="button"
        class="plain"
        aria-label={`${t('stopOne')}: ${operation}`}
        onClick={async () => onProblem(await ask({ k: 'stop', run_id }))}
      >
        {t('stopOne')}
      </button>
    </span>
  )
}

/** How the last operation ended, and when. */
export function LastRun({ run, now }: { run: RunBrief | null; now: number }) {
  return (
    <section aria-labelledby="last">
      <h2 id="last">{t('lastHeading')}</h2>
      {run === null ? <p class="quiet">{t('lastNone')}</p> : <Outcome run={run} now={now} />}
    </section>
  )
}

interface RecentProps {
  runs: readonly RunBrief[]
  now: number
  evidenceOf: EvidenceOf
}

/** How the last few operations ended, the newest first. */
export function RecentRuns({ runs, now, evidenceOf }: RecentProps) {
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">{t('recentHeading')}</h2>
      {runs.length === 0 ? <p class="quiet">{t('lastNone')}</p> : null}
      {runs.map(run => (
        <RecentRun key={run.run_id} run={run} now={now} evidenceOf={evidenceOf} />
      ))}
    </section>
  )
}

/** What it left behind is fetched when the person wants to see it. */
function RecentRun({ run, now, evidenceOf }: Omit<RecentProps, 'runs'> & { run: RunBrief }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Outcome run={run} now={now} />
      </summary>
      {isOpen && run.evidence !== undefined ? (
        <EvidenceOfRun id={run.run_id} evidenceOf={evidenceOf} />
      ) : null}
      <Command text={`unicli runs show ${run.run_id}`} />
    </details>
  )
}

function Outcome({ run, now }: { run: RunBrief; now: number }) {
  const ended = run.started_at + (run.duration_ms ?? 0)
  const took = run.duration_ms === null ? '' : ` · ${duration(run.duration_ms)}`
  return (
    <div class="runs">
      <p>
        <span class="operation">{run.operation}</span>
        <span class={`outcome ${run.state}`}>{t(`run_${run.state}`)}</span>
      </p>
      <p class="quiet">
        {run.code === null || run.state === 'ok' ? '' : `${run.code} · `}
        {ago(ended, now)}
        {took}
        {run.verdict === undefined ? '' : ` · ${t(`verdict_${run.verdict}`)}`}
        {run.evidence === undefined ? '' : ` · ${t('evidence', String(run.evidence))}`}
      </p>
    </div>
  )
}
