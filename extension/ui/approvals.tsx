import { useEffect, useState } from 'preact/hooks'
import { LASTINGS, Lasting } from '../../shared/policy.ts'
import type { ApprovalBrief } from '../../shared/status.ts'
import type { Ask } from './panel-client.ts'
import { t } from './text.ts'

/** What waits for the person's word. */
export function Approvals({ approvals, ask }: { approvals: readonly ApprovalBrief[]; ask: Ask }) {
  if (approvals.length === 0) return null
  return (
    <section aria-labelledby="approvals" aria-live="assertive">
      <h2 id="approvals">{t('approvalsHeading')}</h2>
      {approvals.map(approval =>
        approval.choices === undefined ? (
          <Approval key={approval.id} approval={approval} ask={ask} />
        ) : (
          <Question key={approval.id} approval={approval} ask={ask} />
        ),
      )}
    </section>
  )
}

interface Word {
  allow: boolean
  lasts: Lasting
  reply?: string
}

/** A click that was meant for what stood here before comes within this time. */
const UNSEEN_MS = 500

/** Sends the person's word, once, and none before the person can have seen what it is about. */
function useWord(approval: ApprovalBrief, ask: Ask) {
  const [isSeen, setSeen] = useState(false)
  const [sent, setSent] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(setSeen, UNSEEN_MS, true)
    return () => clearTimeout(timer)
  }, [])
  const send = async (word: Word): Promise<void> => {
    if (!isSeen) return
    setSent(true)
    const told = await ask({ k: 'answer', approval: approval.id, ...word })
    setProblem(told)
    if (told !== null) setSent(false)
  }
  // One that cannot be pressed yet can be reached by keyboard all the same.
  return { sent, button: { disabled: sent, 'aria-disabled': !isSeen }, problem, send }
}

/** A question that wants an answer in words. */
function Question({ approval, ask }: { approval: ApprovalBrief; ask: Ask }) {
  const { sent, button, problem, send } = useWord(approval, ask)
  const [text, setText] = useState('')
  const reply = (words: string) => send({ allow: true, lasts: 'once', reply: words })
  const choices = approval.choices ?? []
  return (
    <article class="card wait">
      <p class="operation">{approval.operation}</p>
      <p class="asked">{approval.text}</p>
      {choices.length > 0 ? null : (
        <input
          type="text"
          aria-label={t('answerLabel')}
          value={text}
          maxLength={2000}
          disabled={sent}
          onInput={event => setText(event.currentTarget.value)}
        />
      )}
      <div class="choices">
        {choices.map(choice => (
          <button key={choice} type="button" class="main" {...button} onClick={() => reply(choice)}>
            {choice}
          </button>
        ))}
        {choices.length > 0 ? null : (
          <button
            type="button"
            class="main"
            {...button}
            disabled={sent || text.trim() === ''}
            onClick={() => reply(text.trim())}
          >
            {t('answer')}
          </button>
        )}
        <button type="button" {...button} onClick={() => send({ allow: false, lasts: 'once' })}>
          {t('noAnswer')}
        </button>
      </div>
      {problem === null ? null : <p class="problem">{problem}</p>}
    </article>
  )
}

function Approval({ approval, ask }: { approval: ApprovalBrief; ask: Ask }) {
  const { sent, button, problem, send } = useWord(approval, ask)
  const [lasts, setLasts] = useState<Lasting>('once')
  const answer = (allow: boolean) => send({ allow, lasts: allow ? lasts : 'once' })
  return (
    <article class="card wait">
      {approval.site === undefined ? null : <p class="site">{approval.site}</p>}
      <p class="operation">{approval.operation}</p>
      <p class="asked">{approval.text}</p>
      <p class="quiet">{stakes(approval)}</p>
      <LastingChoice approval={approval} lasts={lasts} disabled={sent} onChange={setLasts} />
      <div class="choices">
        <button type="button" class="main" {...button} onClick={() => answer(true)}>
          {t('allow')}
        </button>
        <button type="button" {...button} onClick={() => answer(false)}>
          {t('refuse')}
        </button>
        {approval.site === undefined ? null : (
          <button type="button" {...button} onClick={() => send({ allow: false, lasts: 'always' })}>
            {t('neverHere')}
          </button>
        )}
      </div>
      {problem === null ? null : <p class="problem">{problem}</p>}
    </article>
  )
}

const stakes = ({ effect, risk }: ApprovalBrief): string =>
  risk === undefined ? t(`effect_${effect}`) : `${t(`effect_${effect}`)} ${t(`risk_${risk}`)}`

interface Choice {
  approval: ApprovalBrief
  lasts: Lasting
  disabled: boolean
  onChange: (lasts: Lasting) => void
}

/** For how long the yes holds, and of what it would be a yes then. An older companion knows of this once only. */
function LastingChoice({ approval: { id, covers }, lasts, disabled, onChange }: Choice) {
  if (covers === undefined) return null
  return (
    <div class="lasting">
      <label for={`lasts-${id}`}>{t('lastsLabel')}</label>
      <select
        id={`lasts-${id}`}
        value={lasts}
        disabled={disabled}
        onChange={event => onChange(Lasting.parse(event.currentTarget.value))}
      >
        {LASTINGS.map(each => (
          <option key={each} value={each}>
            {t(`lasts_${each}`)}
          </option>
        ))}
      </select>
      {lasts === 'once' ? null : <p class="quiet">{t('covers', covers)}</p>}
    </div>
  )
}
