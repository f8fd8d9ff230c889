import { useState } from 'preact/hooks'
import type { PanelState } from '../../shared/panel.ts'
import type { SiteChoice, SiteGrant } from '../../shared/policy.ts'
import { wordFor } from '../../shared/sites.ts'
import type { Status } from '../../shared/status.ts'
import type { Ask } from './panel-client.ts'
import { t } from './text.ts'

/** Sends what the person says of a site; tells what went wrong. */
function useSiteWord(ask: Ask) {
  const [problem, setProblem] = useState<string | null>(null)
  const say = async (site: string, word: SiteChoice): Promise<void> =>
    setProblem(await ask({ k: 'site', site, word }))
  return { problem, say }
}

const wordText = ({ word, session }: SiteGrant): string => t(`site_${word}`, session ?? '')

/** The page in front of the person: whether agents may use its site, and whether one works in it now. */
export function ThisPage({
  page,
  status,
  sessions,
  ask,
}: { ask: Ask } & Pick<PanelState, 'page' | 'sessions'> & { status: Status }) {
  const { problem, say } = useSiteWord(ask)
  if (page === null) return null
  const word = wordFor(page.url, status.sites ?? [])
  const { host } = new URL(page.url)
  const site = word?.site ?? host
  const state = word?.word ?? (status.policy_profile === 'open' ? 'open' : 'none')
  return (
    <section aria-labelledby="this-page" class={`card page-word ${state}`}>
      <h2 id="this-page">{t('pageHeading')}</h2>
      <p class="site">{host}</p>
      <p role="status">{t(`pageWord_${state}`)}</p>
      {page.session === null ? null : <p class="quiet">{t('pageAgent', page.session)}</p>}
      <div class="choices">
        {state === 'always' || state === 'open' ? null : (
          <button type="button" onClick={() => say(site, 'always')}>
            {t('siteGrant')}
          </button>
        )}
        {state === 'never' ? null : (
          <button type="button" onClick={() => say(site, 'never')}>
            {t('siteNever')}
          </button>
        )}
        {word === null ? null : (
          <button type="button" onClick={() => say(site, 'forget')}>
            {t('siteForget')}
          </button>
        )}
      </div>
      <Lending page={page} sessions={sessions} ask={ask} />
      {problem === null ? null : <p class="problem">{problem}</p>}
    </section>
  )
}

/** The person's own tab is lent to a session, or taken back from it. */
function Lending({
  page,
  sessions,
  ask,
}: { page: NonNullable<PanelState['page']>; ask: Ask } & Pick<PanelState, 'sessions'>) {
  const [problem, setProblem] = useState<string | null>(null)
  const isAgents = sessions.some(({ tabs }) => tabs.some(({ tab }) => tab === page.tab))
  if (!isAgents && sessions.length === 0) return null
  return (
    <div class="lending">
      {isAgents ? (
        <button
          type="button"
          class="plain"
          onClick={async () => setProblem(await ask({ k: 'give_back', tab: page.tab }))}
        >
          {t('giveBack')}
        </button>
      ) : (
        sessions.map(({ session }) => (
          <button
            key={session}
            type="button"
            class="plain"
            onClick={async () => setProblem(await ask({ k: 'lend', session, tab: page.tab }))}
          >
            {t('lend', session)}
          </button>
        ))
      )}
      {problem === null ? null : <p class="problem">{problem}</p>}
    </div>
  )
}

/** Every site of which the person said something, and how to say otherwise. */
export function Sites({ grants, ask }: { grants: readonly SiteGrant[]; ask: Ask }) {
  const { problem, say } = useSiteWord(ask)
  return (
    <section aria-labelledby="sites">
      <h2 id="sites">{t('sitesHeading')}</h2>
      {grants.length === 0 ? <p class="quiet">{t('sitesNone')}</p> : null}
      <ul class="rows">
        {grants.map(grant => (
          <li key={`${grant.site} ${grant.session ?? ''}`}>
            <span class="site">{grant.site}</span>
            <span class={`word ${grant.word}`}>{wordText(grant)}</span>
            <span class="deeds">
              {grant.word === 'never' ? null : (
                <button
                  type="button"
                  class="plain"
                  aria-label={`${t('siteNever')}: ${grant.site}`}
                  onClick={() => say(grant.site, 'never')}
                >
                  {t('siteNever')}
                </button>
              )}
              <button
                type="button"
                class="plain"
                aria-label={`${t('siteForget')}: ${grant.site}`}
                onClick={() => say(grant.site, 'forget')}
              >
                {t('siteForget')}
              </button>
            </span>
          </li>
        ))}
      </ul>
      {problem === null ? null : <p class="problem">{problem}</p>}
    </section>
  )
}
