import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { compilePlan } from '../../companion/kernel/compile.ts'
import type { Invocation, Kernel } from '../../companion/kernel/operation.ts'
import { planFacts } from '../../companion/kernel/plan-facts.ts'
import type { AnyStep } from '../../companion/kernel/step.ts'
import type { Access } from '../../companion/ports/access.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { createFilesFactory } from '../../companion/substrates/files/files.ts'
import { createProcessFactory } from '../../companion/substrates/process/process.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { operation, setUp } from './kernel-world.ts'
import { makeTempDir, type TempDir } from './temp.ts'

export interface LocalPlan {
  executables?: string[]
  env?: string[]
  args?: Record<string, unknown>
  /** Further steps of the test. */
  steps?: readonly AnyStep[]
}

/** The kernel and its real steps over real files and programs, in a folder of its own. */
export interface LocalRig {
  /** The one granted folder. */
  folder: string
  root: TempDir
  /** What the kernel was asked to let through, in order. */
  accesses: Access[]
  /** Of the last run. */
  kernel(): Kernel
  run(pipeline: unknown[], plan?: LocalPlan, asked?: Partial<Invocation>): Promise<Envelope>
}

export async function makeLocalRig(): Promise<LocalRig> {
  const root = await makeTempDir()
  const folder = join(root.path, 'files')
  await mkdir(folder)
  const accesses: Access[] = []
  const files = createFilesFactory({ own: folder, granted: () => [] })
  const processes = createProcessFactory()
  const noted = (check: (access: Access) => Promise<void>) => (access: Access) => {
    accesses.push(access)
    return check(access)
  }
  let last: Kernel | null = null
  return {
    kernel() {
      if (last === null) throw new Error('nothing was run yet')
      return last
    },
    folder,
    root,
    accesses,
    run(pipeline, { executables = [], env = [], args = {}, steps = [] } = {}, asked = {}) {
      const known = new Map([...STEPS, ...steps.map(step => [step.name, step] as const)])
      const plan = compilePlan(pipeline, { steps: known, line: () => 1 })
      const { effect } = planFacts(plan)
      const base = operation({ effect, allowEmpty: true })
      const op = {
        ...base,
        source: {
          kind: 'adapter' as const,
          base: 'https://demo.example',
          origins: [],
          csrf: {},
          plans: { public: plan },
          executables,
          env,
        },
      }
      const { run, config, kernel } = setUp(op, {
        steps: known,
        files: { open: ({ access }) => files.open({ access: noted(access) }) },
        process: {
          ...processes,
          open: rights => processes.open({ ...rights, access: noted(rights.access) }),
        },
      })
      config['policy.profile'] = 'open'
      last = kernel
      return run({ args, ...asked })
    },
  }
}
