import type { Hop } from '../../../shared/status.ts'
import type { Kernel } from '../../kernel/operation.ts'
import type { Governor } from '../../kernel/policy/governor.ts'
import type { AnyStep } from '../../kernel/step.ts'
import type { AdapterWorkbench } from '../../library/adapter-workbench.ts'
import type { ConfigStorePort, EvidencePort, LedgerPort } from '../../ports/state.ts'

/** What the surface is built on; compose.ts supplies it. */
export interface CliParts {
  version: string
  kernel: Kernel
  ledger: LedgerPort
  evidence: Pick<EvidencePort, 'get'>
  /** Every step that a pipeline may use. */
  steps: readonly AnyStep[]
  config: ConfigStorePort
  adapters: AdapterWorkbench
  governor: Governor
  /** Looks at every hop from the command that asks, of version `client`, to the browser. */
  diagnose(client: string): Promise<readonly Hop[]>
}
