import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { builtinOperation } from '../kernel/builtin.ts'
import type { KernelParts } from '../kernel/kernel.ts'
import type { BuiltinCall, Catalogue, Operation } from '../kernel/operation.ts'
import type { AdapterText } from '../library/adapter-texts.ts'
import type { OverlayPort } from '../ports/state.ts'
import { rehearsalKernels } from './rehearsal.ts'
import { type RepairReport, repair } from './repair.ts'

export interface RepairSurroundings {
  catalogue: () => Catalogue
  /** What the companion's own kernel is made of. */
  kernelParts: () => KernelParts
  /** Null for what is no adapter. */
  textOf: (operation: Operation) => AdapterText | null
  overlays: OverlayPort
  /** The person's adapters have changed. */
  onChange: () => void
}

const Names = z.strictObject({
  site: z.string().min(1).describe('the site'),
  command: z.string().min(1).describe('its command'),
})
const example = { site: 'hackernews', command: 'top' }
/** Several runs against a site that may be slow. */
const TIMEOUT_MS = 180_000

/** `repair`, `apply-repair` and `rollback-repair`: to look for a patch, to put it into force, to take it back. */
export function repairOperations(surroundings: RepairSurroundings): Operation[] {
  return [
    builtinOperation({
      id: 'unicli.repair',
      doc: 'Find out what drifted between a site and its adapter, and propose a verified patch.',
      args: Names,
      positional: ['site', 'command'],
      effect: 'read',
      needs: ['http'],
      example,
      aliases: ['fix adapter', 'drift', 'broken command', 'diagnose', '修复', '诊断', '适配器'],
      timeoutMs: TIMEOUT_MS,
      run: async (names, call) => answerOf(names, await look(surroundings, names, call)),
    }),
    builtinOperation({
      id: 'unicli.apply-repair',
      doc: "Find a verified patch for an adapter and write it as the person's own copy; the old one is kept.",
      args: Names,
      positional: ['site', 'command'],
      effect: 'write',
      risk: 'none',
      needs: ['http'],
      example,
      aliases: ['fix adapter', 'patch', '应用修复'],
      timeoutMs: TIMEOUT_MS,
      run: async (names, call) => {
        const report = await look(surroundings, names, call)
        if (report.text === null) return answerOf(names, report)
        const written = surroundings.overlays.replace(names, report.text)
        surroundings.onChange()
        return { ...answerOf(names, report), applied: true, ...written }
      },
    }),
    builtinOperation({
      id: 'unicli.rollback-repair',
      doc: 'Take back the last repair of an adapter.',
      args: Names,
      positional: ['site', 'command'],
      effect: 'write',
      risk: 'none',
      example,
      aliases: ['undo repair', '撤销修复', '回滚'],
      run: async names => {
        const restored = surroundings.overlays.restore(operationOf(surroundings, names))
        if (restored === null)
          throw new Failure('not_found', {
            what: `A repair of ${names.site}.${names.command}`,
            hint: 'Only what "unicli repair … --apply" wrote can be taken back.',
          })
        surroundings.onChange()
        return { operation: `${names.site}.${names.command}`, ...restored }
      },
    }),
  ]
}

type Names = z.infer<typeof Names>

/** Names are also paths: only those of an operation are taken. */
function operationOf({ catalogue }: RepairSurroundings, { site, command }: Names): Operation {
  const name = `${site}.${command}`
  const operation = catalogue().get(name)
  if (operation === null) throw new Failure('unknown_operation', { name, nearest: catalogue().nearest(name) })
  return operation
}

async function look(
  surroundings: RepairSurroundings,
  names: Names,
  call: BuiltinCall,
): Promise<RepairReport> {
  const operation = operationOf(surroundings, names)
  const found = surroundings.textOf(operation)
  if (found === null)
    throw new Failure('usage', {
      problem: `${operation.id} is no adapter.`,
      hint: 'Only adapters can be repaired; a fault of unicli itself is shown by "unicli doctor".',
    })
  const { signal, progress } = call
  const parts = surroundings.kernelParts()
  const { file, text, fixtures } = found
  const report = await repair(
    { steps: parts.steps, http: parts.http, browser: parts.browser, kernelOf: rehearsalKernels(parts, call) },
    { place: { file, ...names }, text, fixtures, signal, progress },
  )
  if (report.outcome !== 'refused') return report
  // A wall, an outage or a refusal is what the person has to know; nothing of the adapter can mend it.
  if (report.diagnosis.kind !== 'drift' && report.failure !== null) throw report.failure
  throw new Failure('not_repairable', {
    operation: operation.id,
    drift: report.diagnosis.detail ?? report.diagnosis.kind,
    reason: report.reason ?? report.diagnosis.message,
  })
}

const answerOf = (
  names: Names,
  { outcome, diagnosis, strategy, changes, patch, verified }: RepairReport,
) => ({
  operation: `${names.site}.${names.command}`,
  outcome,
  applied: false,
  strategy,
  diagnosis,
  changes,
  verified,
  patch,
})
