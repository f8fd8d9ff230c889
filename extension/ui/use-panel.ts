import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PanelState } from '../../shared/panel.ts'
import { type Ask, connectPanel, type EvidenceOf } from './panel-client.ts'
import { t } from './text.ts'

/** What a panel shows, kept fresh: the state once it is known, how to ask the worker, and the time. */
export function usePanel(): {
  state: PanelState | null
  ask: Ask
  evidenceOf: EvidenceOf
  now: number
} {
  const [state, setState] = useState<PanelState | null>(null)
  const { ask, evidenceOf } = useMemo(() => connectPanel(setState, t('workerLost')), [])
  return { state, ask, evidenceOf, now: useNow() }
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
