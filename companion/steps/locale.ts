import { z } from 'zod'

/** The tag of a language, such as `zh-CN`. */
export const Locale = z
  .string()
  .refine(tag => isTaken(() => Intl.getCanonicalLocales(tag)), 'this is no language tag, such as en or zh-CN')

/** The name of a time zone. */
export const Zone = z
  .string()
  .refine(
    zone =>
      /^utc([+-]\d{1,2}(:\d{2})?)?$/i.test(zone) ||
      isTaken(() => new Intl.DateTimeFormat('en', { timeZone: zone })),
    'this is no time zone, such as UTC, Asia/Shanghai or UTC+8',
  )

/** Whether Intl takes it. */
function isTaken(ask: () => unknown): boolean {
  try {
    ask()
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
