import { useState } from 'preact/hooks'
import type { Ask } from './panel-client.ts'
import { t } from './text.ts'

/** Holds back whatever has not begun; what runs goes on. */
export function Pause({ paused, ask }: { paused: boolean; ask: Ask }) {
  const [problem, setProblem] = useState<string | null>(null)
  return (
    <section class={`pause ${paused ? 'on' : ''}`} aria-label={t('pause')}>
      <p role="status">{paused ? t('pausedNote') : ''}</p>
      <button
        type="button"
        aria-pressed={paused}
        onClick={async () => setProblem(await ask({ k: 'pause', paused: !paused }))}
      >
        {t(paused ? 'resume' : 'pause')}
      </button>
      {problem === null ? null : <p class="problem">{problem}</p>}
    </section>
  )
}
