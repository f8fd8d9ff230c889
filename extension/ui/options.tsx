import { useEffect, useState } from 'preact/hooks'
import { browser } from 'wxt/browser'
import { Command } from './command.tsx'
import { LinkWay } from './link-way.tsx'
import { PanelHeader, versions } from './panel-parts.tsx'
import { ProfileName } from './profile-name.tsx'
import { Sites } from './sites.tsx'
import { t } from './text.ts'
import { usePanel } from './use-panel.ts'

type Optional = 'history' | 'bookmarks' | 'contentSettings'

/** Those that this browser has. */
const optional = (): readonly Optional[] => {
  const { optional_permissions: all = [] } = browser.runtime.getManifest()
  return (['history', 'bookmarks', 'contentSettings'] as const).filter(name => all.includes(name))
}

/** What is set once: the name of this browser, who is asked, which sites may be used, what else may be read. */
export function Options() {
  const { state, ask } = usePanel()
  if (state === null) return <main aria-busy="true" />
  const { link, status, profile } = state
  return (
    <main>
      <PanelHeader link={link} />
      <LinkWay link={link} onRetry={() => void ask({ k: 'connect' })} />
      <section aria-labelledby="browser">
        <h2 id="browser">{t('optionsBrowser')}</h2>
        <ProfileName name={profile.name} ask={ask} />
      </section>
      {status?.policy_profile === undefined ? null : <PolicyProfile name={status.policy_profile} />}
      {status === null ? null : <Sites grants={status.sites ?? []} ask={ask} />}
      <Permissions />
      <footer>
        {status?.http_url == null ? null : (
          <p>
            <a href={`${status.http_url}/docs`} target="_blank" rel="noreferrer">
              {t('docs')}
            </a>
          </p>
        )}
        <p class="quiet">{versions(state)}</p>
      </footer>
    </main>
  )
}

function PolicyProfile({ name }: { name: string }) {
  return (
    <section aria-labelledby="policy">
      <h2 id="policy">{t('policyHeading')}</h2>
      <p>
        <strong>{name}</strong> · {t(`policy_${name}`)}
      </p>
      <p class="quiet">{t('policyChange')}</p>
      <Command text="unicli config set policy.profile careful" />
    </section>
  )
}

interface Permitted {
  given: readonly Optional[]
  files: boolean
}

async function permitted(): Promise<Permitted> {
  const names = optional()
  const has = await Promise.all(names.map(name => browser.permissions.contains({ permissions: [name] })))
  const files = await browser.extension.isAllowedFileSchemeAccess()
  return { given: names.filter((_, index) => has[index]), files }
}

/** What goes beyond the sites: the person gives and takes it here, and the browser asks them once more. */
function Permissions() {
  const [now, setNow] = useState<Permitted | null>(null)
  useEffect(() => void permitted().then(setNow), [])
  const change = async (name: Optional, wanted: boolean): Promise<void> => {
    if (wanted) await browser.permissions.request({ permissions: [name] })
    else await browser.permissions.remove({ permissions: [name] })
    setNow(await permitted())
  }
  return (
    <section aria-labelledby="permissions">
      <h2 id="permissions">{t('permissionsHeading')}</h2>
      {optional().map(name => (
        <label key={name} class="toggle">
          <input
            type="checkbox"
            checked={now?.given.includes(name) ?? false}
            onChange={event => void change(name, event.currentTarget.checked)}
          />
          {t(`permission_${name}`)}
        </label>
      ))}
      {now === null ? null : <p class="quiet">{t(now.files ? 'filesOn' : 'filesOff')}</p>}
    </section>
  )
}
