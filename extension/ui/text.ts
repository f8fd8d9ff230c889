import { browser } from 'wxt/browser'

/** The words of the browser's language, from public/_locales; a missing name shows itself. */
export const t = (name: string, ...substitutions: string[]): string =>
  browser.i18n.getMessage(name, substitutions) || name

/** Of the words that are shown, which need not be the browser's own where it has none of ours. */
export const language = (): string => t('languageTag')

/** Such as 412 ms, 3.2 s, 2 min. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min`
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

/** Such as "in 2 minutes", in the language of the words. */
export function ahead(at: number, now: number): string {
  const left = Math.max(0, at - now)
  const [unit, size] = UNITS.find(([, ms]) => left >= ms) ?? ['second', 1000]
  return new Intl.RelativeTimeFormat(language(), { numeric: 'auto' }).format(Math.floor(left / size), unit)
}

/** Such as "2 minutes ago", in the language of the words. */
export function ago(at: number, now: number): string {
  const past = Math.max(0, now - at)
  const [unit, size] = UNITS.find(([, ms]) => past >= ms) ?? ['second', 1000]
  return new Intl.RelativeTimeFormat(language(), { numeric: 'auto' }).format(-Math.floor(past / size), unit)
}
