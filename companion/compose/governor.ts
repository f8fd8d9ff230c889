import { homedir } from 'node:os'
import { Governor } from '../kernel/policy/governor.ts'
import { redactValue } from '../kernel/redact.ts'
import { openPolicy } from '../library/policy-file.ts'
import type { ConfigPort } from '../ports/state.ts'
import type { Database } from '../state/database.ts'
import { openGrants, openSiteWords } from '../state/grants.ts'
import type { Paths } from '../state/paths.ts'
import { openPlaces } from '../state/places.ts'

/** The judge over the person's own rules and allowances. */
export function openGovernor(
  { policy, home }: Pick<Paths, 'policy' | 'home'>,
  parts: { config: ConfigPort; db: Database; onChange: () => void },
): Governor {
  const { config, db, onChange } = parts
  return new Governor({
    config,
    onChange,
    policy: openPolicy(policy, homedir()),
    grants: openGrants({ db }),
    sites: openSiteWords({ db }),
    places: openPlaces(homedir(), home),
    redact: (value, secretNames) => redactValue(value, secretNames),
  })
}
