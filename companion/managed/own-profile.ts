import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What Chromium reads of it: 1 allows. */
const PREFERENCES = { profile: { default_content_setting_values: { automatic_downloads: 1 } } }

/**
 * Settings of a profile that is still to be made. A second file from one click is a question to the person, and all
 * later downloads of the tab wait for the answer; here nobody is asked.
 *
 * @param profile the browser's folder of user data
 */
export function prepareProfile(profile: string): void {
  const folder = join(profile, 'Default')
  const file = join(folder, 'Preferences')
  if (existsSync(file)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, JSON.stringify(PREFERENCES))
}
