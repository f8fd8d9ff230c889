import { Failure } from '../../shared/failures.ts'
import type { BrowserPort } from '../ports/browser.ts'
import type { FilesFactory, FilesPort } from '../ports/files.ts'
import type { Notice } from '../ports/person.ts'
import type { ProcessFactory, ProcessPort } from '../ports/process.ts'
import { guardedFiles, guardedProcess } from './access.ts'
import type { Governor } from './policy/governor.ts'
import { emit, type Run } from './run-state.ts'
import type { StepPorts } from './step.ts'

export interface LocalFactories {
  files: FilesFactory
  process: ProcessFactory
  governor: Pick<Governor, 'inquire'>
  browser: BrowserPort
}

/** What the adapter declares that it uses of this computer. */
export interface LocalRights {
  executables: readonly string[]
  env: readonly string[]
}

/** The person, and files and programs of one run, opened on first use; its temp folder is removed when the run has ended. */
export function localPorts(
  run: Run,
  factories: LocalFactories,
  rights: LocalRights,
): Pick<StepPorts, 'files' | 'process' | 'person'> {
  let files: FilesPort | null = null
  let process: ProcessPort | null = null
  return {
    person: {
      ask: question => factories.governor.inquire(run, question),
      notify(message) {
        emit(run, { type: 'progress', run_id: run.id, text: `${message.title}: ${message.text}` })
        showInBrowser(run, factories.browser, message)
      },
    },
    get files() {
      if (files !== null) return files
      const own = factories.files.open({ access: run.access })
      run.ends.push(() => own.close())
      files = guardedFiles(own, run)
      return files
    },
    get process() {
      process ??= guardedProcess(
        factories.process.open({
          access: run.access,
          executables: rights.executables,
          env: rights.env,
        }),
        run,
      )
      return process
    },
  }
}

/** As a notification of the desktop where a browser is linked; everywhere else the event has told it. */
function showInBrowser(run: Run, browser: BrowserPort, notice: Notice): void {
  const linked = browser.links().filter(({ state }) => state === 'linked')
  const own = linked.find(({ profile }) => profile.id === run.browser?.profile.id) ?? linked[0]
  if (own === undefined) return
  const session = browser.open({ profile: own.profile.id, session: 'default' })
  const options = { signal: run.abort.signal, deadline: run.deadline }
  // A notification that was not shown is no reason to fail: the system may show none at all.
  session.call('notice.show', notice, options).catch((error: unknown) => {
    if (!Failure.is(error)) throw error
  })
}
