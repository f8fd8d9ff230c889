import type { LinkPhase, LinkView } from '../../shared/panel.ts'
import { Command } from './command.tsx'
import { t } from './text.ts'

type Hop = 'ok' | 'broken' | 'pending' | 'unknown'

/** Of each phase: the way from the browser to the host, the way from the host to the companion, what mends it. */
const HOPS: Record<LinkPhase, { host: Hop; companion: Hop; mend: string | null }> = {
  connecting: { host: 'pending', companion: 'pending', mend: null },
  linked: { host: 'ok', companion: 'ok', mend: null },
  host_missing: { host: 'broken', companion: 'unknown', mend: 'unicli setup' },
  host_forbidden: { host: 'broken', companion: 'unknown', mend: 'unicli setup' },
  host_ended: { host: 'broken', companion: 'unknown', mend: 'unicli doctor' },
  host_silent: { host: 'broken', companion: 'unknown', mend: 'unicli doctor' },
  companion_silent: { host: 'ok', companion: 'broken', mend: 'unicli daemon start' },
  refused: { host: 'ok', companion: 'broken', mend: 'unicli doctor' },
}

/** The way from this browser to the companion, hop by hop, and in words where it ends. */
export function LinkWay({ link, onRetry }: { link: LinkView; onRetry: () => void }) {
  const { host, companion, mend } = HOPS[link.phase]
  const detail = link.detail === '' ? null : <p class="quiet">{link.detail}</p>
  return (
    <section aria-label={t('linkHeading')}>
      <ol class="way">
        <li class="stop ok">{t('hopBrowser')}</li>
        <li class={`stop ${host}`}>
          {t('hopHost')}
          <span class="unseen">{t(`hop_${host}`)}</span>
        </li>
        <li class={`stop ${companion}`}>
          {t('hopCompanion')}
          <span class="unseen">{t(`hop_${companion}`)}</span>
        </li>
      </ol>
      <div aria-live="polite">
        {link.phase === 'linked' ? null : (
          <div class={`note ${link.phase === 'connecting' ? '' : 'bad'}`}>
            <p>{t(`phase_${link.phase}`)}</p>
            {link.phase === 'refused' ? detail : null}
            {mend === null ? null : <Command text={mend} />}
            {link.phase === 'refused' ? null : detail}
            {mend === null ? null : (
              <button type="button" class="plain" onClick={onRetry}>
                {t('retry')}
              </button>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
