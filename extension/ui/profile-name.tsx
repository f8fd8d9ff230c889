import { useState } from 'preact/hooks'
import { PROFILE_NAME_CHARS } from '../../shared/panel.ts'
import type { Ask } from './panel-client.ts'
import { t } from './text.ts'

/** The name by which agents call this browser profile; saved on Enter or when the field is left. */
export function ProfileName({ name, ask }: { name: string; ask: Ask }) {
  const [draft, setDraft] = useState<string | null>(null)
  const [told, setTold] = useState('')
  const save = async (): Promise<void> => {
    const wanted = draft?.trim() ?? ''
    setDraft(null)
    if (wanted === '' || wanted === name) return
    setTold((await ask({ k: 'rename', name: wanted })) ?? t('saved'))
  }
  return (
    <form
      class="profile"
      onSubmit={event => {
        event.preventDefault()
        void save()
      }}
    >
      <label for="profile-name">{t('profileLabel')}</label>
      <input
        id="profile-name"
        value={draft ?? name}
        maxLength={PROFILE_NAME_CHARS}
        autocomplete="off"
        spellcheck={false}
        onInput={event => setDraft(event.currentTarget.value)}
        onBlur={save}
      />
      <span class="quiet" role="status">
        {told}
      </span>
    </form>
  )
}
