import { useState } from 'preact/hooks'
import type { ApprovalBrief } from '../../shared/status.ts'
import type { Ask } from './panel-client.ts'
import { t } from './text.ts'

/** What waits for the person's word. */
export function Approvals({ approvals, ask }: { approvals: readonly ApprovalBrief[]; ask: Ask }) {
  if (approvals.length === 0) return null
  return (
    <section aria-labelledby="approvals" aria-live="assertive">
      <h2 id="approvals">{t('approvalsHeading')}</h2>
      {approvals.map(approval => (
        <Approval key={approval.id} approval={approval} ask={ask} />
      ))}
    </section>
  )
}

function Approval({ approval, ask }: { approval: ApprovalBrief; ask: Ask }) {
  const [sent, setSent] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const answer = async (allow: boolean): Promise<void> => {
    setSent(true)
    const told = await ask({ k: 'answer', approval: approval.id, allow })
    setProblem(told)
    if (told !== null) setSent(false)
  }
  return (
    <article class="card wait">
      <p class="operation">{approval.operation}</p>
      <p>{approval.text}</p>
      <p class="quiet">{t(`effect_${approval.effect}`)}</p>
      <div class="choices">
        <button type="button" class="main" disabled={sent} onClick={() => answer(true)}>
          {t('allow')}
        </button>
        <button type="button" disabled={sent} onClick={() => answer(false)}>
          {t('refuse')}
        </button>
      </div>
      {problem === null ? null : <p class="problem">{problem}</p>}
    </article>
  )
}
