import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'

/** The window that the person used last, private ones left out; a new one, behind, when there is none. */
export async function quietWindow(): Promise<number> {
  const windows = await browser.windows.getAll({ windowTypes: ['normal'] })
  const usable = windows.filter(({ id, incognito }) => id !== undefined && !incognito)
  const last = await lastFocused()
  const chosen = usable.find(({ id }) => id === last) ?? usable[0]
  if (chosen?.id !== undefined) return chosen.id
  const opened = await browser.windows.create({ url: 'about:blank', state: 'minimized' })
  if (opened?.id === undefined) throw new Failure('internal', { reason: 'no window could be opened' })
  return opened.id
}

async function lastFocused(): Promise<number | null> {
  try {
    return (await browser.windows.getLastFocused()).id ?? null
  } catch (error) {
    console.warn('no window was focused yet', error)
    return null
  }
}
