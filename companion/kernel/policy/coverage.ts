import { createHash } from 'node:crypto'
import { hostOf } from '../../../shared/host.ts'
import type { Access } from '../../ports/access.ts'
import type { Matter } from './rule-match.ts'
import { siteOf } from './site-of.ts'

/** What a lasting allowance would cover: `key` to find it by, `text` for a person to read. */
export interface Coverage {
  key: string
  text: string
}

/** Deep copy without secrets; `names` are further keys whose values are secret. */
export type Redact = (value: unknown, names: readonly string[]) => unknown

const SHOWN_VALUE = 60

/**
 * Of an operation: it at this installation of the site, with the arguments that name what is acted on, or with every
 * argument where the adapter names none. Of an access: the operation with this host, program or file.
 */
export function coverageOf(matter: Matter, base: string, redact: Redact): Coverage {
  const { operation, access } = matter
  if (access !== null) {
    const [kind, what] = targetOf(access)
    return { key: keyOf([operation.id, base, kind, what]), text: `${operation.id}: ${kind} ${what}` }
  }
  const named = operation.targets ?? []
  const names = named.length > 0 ? named : Object.keys(matter.args).toSorted()
  const fixed = names.filter(name => !operation.secrets.includes(name) && matter.args[name] !== undefined)
  const values = fixed.map(name => [name, matter.args[name]] as const)
  const shown = values.map(([name, value]) => `${name} ${short(redact({ [name]: value }, []), name)}`)
  const at = base === '' ? '' : ` at ${base}`
  const rest = named.length > 0 ? ', whatever else it is given' : ''
  return {
    key: keyOf([operation.id, base, 'operation', values]),
    text: `${operation.id}${at}${shown.length === 0 ? '' : ` with ${shown.join(', ')}`}${rest}`,
  }
}

function targetOf(access: Access): [kind: string, what: string] {
  if (access.kind === 'network') return ['reach', hostOf(access.url)]
  if (access.kind === 'browse') return ['browse', siteOf(access.url) ?? '']
  if (access.kind === 'execute') return ['run', access.argv[0] ?? '']
  return [access.kind === 'read_file' ? 'read' : 'write', access.path]
}

const keyOf = (parts: unknown): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

function short(redacted: unknown, name: string): string {
  const text = JSON.stringify((redacted as Record<string, unknown>)[name]) ?? 'nothing'
  const letters = [...text]
  return letters.length <= SHOWN_VALUE ? text : `${letters.slice(0, SHOWN_VALUE).join('')}…`
}
