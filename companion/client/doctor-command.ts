import { dirname, join } from 'node:path'
import type { Failure } from '../../shared/failures.ts'
import { diagnose } from '../setup/doctor.ts'
import { lastHostFault } from '../setup/host-fault.ts'
import { inspectHosts } from '../setup/hosts.ts'
import { pathsOf } from '../state/paths.ts'
import { doctor, doctorAnswer } from '../surfaces/cli/commands/doctor.ts'
import type { Printer } from '../surfaces/cli/output/printer.ts'
import { wordsOf } from '../surfaces/cli/routing.ts'
import { withOutputOptions } from '../surfaces/cli/run-flags.ts'
import type { ClientSettings } from './settings.ts'

/** `doctor` when the companion cannot be asked: what the files tell, and why it cannot. Gives the exit code. */
export function examineAlone(
  { argv, env, version, entry }: ClientSettings,
  printer: Printer,
  failure: Failure,
): Promise<number> {
  printer.ask('unicli', doctor.name)
  printer.parse(withOutputOptions(doctor), wordsOf(argv).rest(1))
  const paths = pathsOf(env)
  const hops = diagnose({
    status: null,
    unreachable: failure.message,
    version,
    hosts: inspectHosts({ paths, host: join(dirname(entry), 'host.cjs') }),
    hostFault: lastHostFault(paths),
    extensions: join(dirname(entry), '..', 'extension'),
  })
  return printer.answer(doctorAnswer(hops, printer.terminal.out.paint))
}
