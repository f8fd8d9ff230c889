import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import { applicationsOf, BROWSER_IDS, type BrowserId, nameOf, programsOf } from '../setup/browsers.ts'

/** Chrome itself takes no extension from the command line any more, so it is asked last. */
const PREFERRED: readonly BrowserId[] = ['chromium', 'edge', 'brave', 'vivaldi', 'chrome']

/**
 * The program of a Chromium: the one that is named, or the first that is found.
 * Fails with browser_not_found.
 */
export function findBrowser(wanted: string | undefined, env: Record<string, string | undefined>): string {
  if (wanted?.includes('/') === true || wanted?.includes('\\') === true) {
    if (existsSync(wanted)) return wanted
    throw new Failure('browser_not_found', { wanted })
  }
  const id = BROWSER_IDS.find(one => one === wanted)
  const found = (id === undefined ? PREFERRED : [id]).flatMap(one => candidates(one, env)).find(existsSync)
  if (found !== undefined) return found
  throw new Failure('browser_not_found', {
    wanted: wanted ?? `any of ${PREFERRED.map(nameOf).join(', ')}`,
  })
}

function candidates(id: BrowserId, env: Record<string, string | undefined>): string[] {
  if (process.platform === 'darwin')
    return applicationsOf(id).flatMap(application =>
      ['/Applications', join(homedir(), 'Applications')].map(folder =>
        join(folder, application, 'Contents', 'MacOS', application.replace(/\.app$/, '')),
      ),
    )
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  return programsOf(id).flatMap(program => folders.map(folder => join(folder, program)))
}
