import { Failure } from '../../shared/failures.ts'
import type { Kernel } from '../kernel/operation.ts'
import { siteNamed } from '../kernel/policy/site-of.ts'
import type { ConfigStorePort, EvidencePort, LedgerPort } from '../ports/state.ts'
import type { PersonHandlers } from '../substrates/browser/person.ts'
import { evidencePieces } from './evidence-pieces.ts'
import type { News } from './news.ts'

export interface PersonParts {
  kernel: Kernel
  news: News
  config: ConfigStorePort
  ledger: Pick<LedgerPort, 'get'>
  evidence: Pick<EvidencePort, 'get'>
}

/** What a person may do from the browser: see, stop, hold back, answer, and say which sites may be used. */
export const personHandlers = (parts: () => PersonParts): PersonHandlers => ({
  'person.status': () => parts().news.status(),
  'person.stop': ({ run_id }, { profile }) => ({
    stopped: parts().kernel.stop(run_id === undefined ? { profile: profile.id } : { run_id }, 'person'),
  }),
  'person.answer': ({ id, allow, lasts, reply }) => ({
    answered: parts().kernel.answer(id, allow, lasts, reply),
  }),
  'person.evidence': ({ run_id }) => {
    const { ledger, evidence } = parts()
    return { evidence: evidencePieces(ledger.get(run_id)?.evidence ?? [], evidence) }
  },
  'person.pause': ({ paused }) => {
    const { config, news } = parts()
    config.set('policy.paused', String(paused))
    news.changed()
    return { paused }
  },
  'person.site': ({ site: named, word }) => {
    const { kernel } = parts()
    const site = siteNamed(named)
    if (site === null)
      throw new Failure('usage', { problem: `"${named}" names no site.`, hint: 'Such as example.com.' })
    if (word === 'forget') kernel.forgetSite(site)
    else kernel.putSite(site, word)
    return { site }
  },
})
