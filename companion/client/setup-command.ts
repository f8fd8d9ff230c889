import { dirname, join, resolve } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import type { Hop, LinkState, Status } from '../../shared/status.ts'
import { ensureCompanion } from '../daemon/launch.ts'
import { CLIENT_METHOD } from '../daemon/protocol.ts'
import { BROWSER_IDS, type BrowserId } from '../setup/browsers.ts'
import { diagnose } from '../setup/doctor.ts'
import { lastHostFault } from '../setup/host-fault.ts'
import { type HostChange, inspectHosts, installHosts, uninstallHosts } from '../setup/hosts.ts'
import type { Answer } from '../surfaces/cli/answer.ts'
import { hopsText } from '../surfaces/cli/commands/doctor.ts'
import type { LocalCall } from './local-command.ts'

const DEFAULT_WAIT_S = 30
/** A browser that is linked answers sooner, and nobody needs to know that it was asked. */
const PATIENCE_MS = 1000

/** Installs the native host, or takes it back, and proves that a browser can be reached. */
export async function runSetup(call: LocalCall): Promise<Answer> {
  const { parsed, paths, settings } = call
  if (parsed.bare('--uninstall')) {
    const changes = uninstallHosts({ paths })
    return { data: { changes }, text: changesText(changes) || 'Nothing was installed.\n' }
  }
  const browsers = parsed.texts('--browser').map(browserIdOf)
  const waitMs = secondsOf(parsed.text('--wait')) * 1000
  const changes = installHosts({
    paths,
    host: join(dirname(settings.entry), 'host.cjs'),
    ...(browsers.length > 0 && { browsers }),
    userDataDirs: parsed.texts('--user-data-dir').map(folder => resolve(folder)),
  })
  if (parsed.bare('--no-prove') === false) return { data: { changes }, text: changesText(changes) }
  tell(call, changesText(changes))
  const links = await prove(call, waitMs)
  return { data: { changes, links }, text: links.map(linkText).join('') }
}

/** Fails with no_browser, after it has told which hop is broken, and as `ensureCompanion`. */
async function prove(call: LocalCall, waitMs: number): Promise<LinkState[]> {
  const { settings, paths } = call
  const { version, entry, env } = settings
  const client = await ensureCompanion({ paths, role: 'cli', version, entry, env })
  const ask = (method: string, withinMs: number) =>
    client.call(method, {}, { deadline: Date.now() + withinMs, effect: 'read' })
  const extensions = join(dirname(entry), '..', 'extension')
  const hint = `Load its extension, if it has none, from ${extensions}/chrome at chrome://extensions.`
  const patience = setTimeout(
    () => tell(call, `Waiting ${waitMs / 1000} s for a browser. ${hint}\n`),
    PATIENCE_MS,
  )
  try {
    const links = (await ask(CLIENT_METHOD.prove, waitMs)) as LinkState[]
    if (links.length > 0) return links
    const status = (await ask(CLIENT_METHOD.status, 5000)) as Status
    const host = join(dirname(entry), 'host.cjs')
    const hops = diagnose({
      ...{ status, version, extensions },
      hosts: inspectHosts({ paths, host }),
      hostFault: lastHostFault(paths),
    })
    throw unlinked(call, hops)
  } finally {
    clearTimeout(patience)
    client.close()
  }
}

function unlinked(call: LocalCall, hops: readonly Hop[]): Failure {
  tell(call, hopsText(hops, call.printer.terminal.err.paint))
  const broken = hops.find(hop => !hop.ok)
  return new Failure('no_browser', { cause: broken?.cause ?? 'browser_silent', mend: 'unicli doctor' })
}

function browserIdOf(text: string): BrowserId {
  const id = BROWSER_IDS.find(known => known === text)
  if (id !== undefined) return id
  const known = `There is ${BROWSER_IDS.join(', ')}.`
  throw new Failure('usage', { problem: `--browser does not know "${text}".`, hint: known })
}

function secondsOf(text: string | undefined): number {
  const seconds = Number(text ?? DEFAULT_WAIT_S)
  if (seconds >= 1 && seconds <= 3600) return seconds
  throw new Failure('usage', {
    problem: `--wait takes seconds, not "${text}".`,
    hint: 'For example: --wait 60',
  })
}

const tell = ({ flags }: LocalCall, text: string): void => {
  if (!flags.quiet) process.stderr.write(text)
}

const changesText = (changes: readonly HostChange[]): string =>
  changes
    .map(({ browser, path, change }) => `${change.padEnd(9)}  ${browser ?? 'native host'}: ${path}\n`)
    .join('')

const linkText = ({ profile, browser, rtt_ms }: LinkState): string =>
  `linked     ${profile.name} (${browser}), round trip ${rtt_ms} ms\n`
