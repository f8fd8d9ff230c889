import { useState } from 'preact/hooks'
import { t } from './text.ts'

/** A command to run in a terminal, with a button that copies it. */
export function Command({ text }: { text: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <p class="command">
      <code>{text}</code>
      <button type="button" class="plain" onClick={copy} aria-label={`${t('copy')}: ${text}`}>
        <span aria-live="polite">{t(copied ? 'copied' : 'copy')}</span>
      </button>
    </p>
  )
}
