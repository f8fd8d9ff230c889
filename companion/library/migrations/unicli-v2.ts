import { isMap, isScalar, isSeq, visit } from 'yaml'
import type { Draft, Migration } from './migration.ts'
import { migratePipeline } from './unicli-v2-steps.ts'
import { keyOf, pairAt, put, rename, take, valueAt } from './yaml-edits.ts'

/** Keys that only the format of Uni-CLI has. */
const MARKS = [
  'operation_effect',
  'operation_family',
  'execution_operator',
  'target_surface',
  'minimum_capability',
  'confidentiality',
  'quarantine',
  'defaultFormat',
  'auth_cookies',
]
/** Keys that say nothing to us; what they meant follows from the steps, or is the policy's business. */
const DROPPED = [
  ...MARKS.filter(key => key !== 'operation_effect'),
  'idempotency',
  'auth_requirement',
  'capabilities',
  'trust',
  'quarantineReason',
  'lint_listing_detail',
  'output',
  'browser',
  'browserSession',
  'paginated',
  'stream',
  'availability',
  'retrieval',
  'health',
  'passthrough',
  'autoInstall',
  'detect',
  'auth',
  'timeout',
]
const EFFECTS: Readonly<Record<string, readonly [effect: string, risk?: string]>> = {
  read: ['read'],
  download_file: ['write', 'none'],
  send_message: ['write', 'send'],
  publish_content: ['write', 'publish'],
  account_state: ['write', 'account'],
  remote_transform: ['write', 'none'],
  remote_resource: ['write'],
  service_state: ['write'],
  local_app: ['write'],
  local_file: ['write', 'none'],
  destructive: ['destructive', 'delete'],
  unknown_write: ['write'],
}
const ARG_TYPES: Readonly<Record<string, string>> = {
  str: 'string',
  'str[]': 'array',
  int: 'integer',
  float: 'number',
  'nullable-float': 'number',
  'str-or-int': 'string',
  bool: 'boolean',
}
const ARG_KEYS: Readonly<Record<string, string>> = {
  minimum: 'min',
  maximum: 'max',
  minLength: 'min',
  maxLength: 'max',
}
/** Keys of one request that stood in for a pipeline. */
const REQUEST_KEYS = ['url', 'method', 'params', 'headers', 'body'] as const

/** Uni-CLI's format v2: other names of keys, types and steps, and a pipeline that guessed more. */
export const UNICLI_V2: Migration = {
  name: 'unicli-v2',
  doc: "Uni-CLI's adapters: keys, types, effects, steps and filters by our names.",
  applies: ({ root, document }) =>
    valueAt(root, 'schema_version', document) === 'v2' || MARKS.some(key => pairAt(root, key) !== undefined),
  apply(draft) {
    const { root, document, did } = draft
    take(root, 'schema_version', document)
    put(root, 'site', draft.site, document)
    put(root, 'name', draft.command, document)
    if (valueAt(root, 'type', document) === undefined) put(root, 'type', 'web-api', document)
    migrateStrategy(draft)
    migrateEffect(draft)
    migrateReach(draft)
    for (const key of DROPPED) if (root.delete(key)) did(`left out ${key}`)
    migrateArgs(draft)
    migrateRequest(draft)
    const pipeline = pairAt(root, 'pipeline')?.value
    if (isSeq(pipeline)) migratePipeline(pipeline, draft)
    migrateTemplates(draft)
  },
}

function migrateStrategy({ root, document, did }: Draft): void {
  const strategy = valueAt(root, 'strategy', document)
  if (strategy !== undefined && strategy !== 'environment') return
  put(root, 'strategy', 'public', document)
  did(`strategy: public${strategy === undefined ? '' : ', in place of environment'}`)
}

function migrateEffect({ root, document, did, open }: Draft): void {
  const written = take(root, 'operation_effect', document)
  if (written === undefined) return
  const [effect, risk] = EFFECTS[String(written)] ?? ['write']
  put(root, 'effect', effect, document)
  if (risk !== undefined) put(root, 'risk', risk, document)
  did(`operation_effect: ${written} is effect: ${effect}${risk === undefined ? '' : `, risk: ${risk}`}`)
  if (effect !== 'read' && risk === undefined)
    open('say what its write risks: risk: send, publish, pay, delete, account or none')
}

function migrateReach({ root, document, did }: Draft): void {
  const domain = take(root, 'domain', document)
  if (typeof domain === 'string') {
    const url = `https://${domain.replace(/^https?:\/\//, '')}`
    if (valueAt(root, 'base', document) === undefined) put(root, 'base', url, document)
    else
      put(
        root,
        'origins',
        [...((valueAt(root, 'origins', document) as unknown[] | undefined) ?? []), url],
        document,
      )
    did('domain is now base or one of origins')
  }
  const binary = take(root, 'binary', document)
  if (binary === undefined) return
  put(root, 'executables', [binary], document)
  did('binary is now one of executables')
}

function migrateArgs({ root, document, did }: Draft): void {
  const args = pairAt(root, 'args')?.value
  if (!isMap(args)) return
  for (const { value: spec } of args.items) {
    if (!isMap(spec)) continue
    const type = valueAt(spec, 'type', document)
    const known = ARG_TYPES[String(type)]
    if (known !== undefined) put(spec, 'type', known, document)
    for (const [from, to] of Object.entries(ARG_KEYS)) rename(spec, from, to)
    const format = valueAt(spec, 'format', document)
    if (format === 'uri') put(spec, 'format', 'url', document)
    if (format === 'regex') spec.delete('format')
    for (const key of spec.items.map(keyOf)) if (key.startsWith('x-unicli-')) spec.delete(key)
    if (valueAt(spec, 'default', document) === null) spec.delete('default')
  }
  did('arguments: types and bounds by our names')
}

/** An adapter of one request becomes one of a pipeline. */
function migrateRequest({ root, document, did }: Draft): void {
  if (pairAt(root, 'pipeline') !== undefined || pairAt(root, 'url') === undefined) return
  const request = REQUEST_KEYS.map(key => [key, take(root, key, document)] as const).filter(
    ([, value]) => value !== undefined,
  )
  const path = take(root, 'path', document)
  const steps = [
    { fetch: Object.fromEntries(request) },
    ...(typeof path === 'string' ? [{ select: path }] : []),
  ]
  put(root, 'pipeline', steps, document)
  did('its request became a pipeline')
}

/** Filters that mean something else here, and names that have moved. */
function migrateTemplates({ document, did }: Draft): void {
  let changed = false
  visit(document, {
    Scalar(_, node) {
      if (!isScalar(node) || typeof node.value !== 'string') return
      const next = node.value
        .replaceAll(/\|\s*replace\(/g, '| replace_regex(')
        .replaceAll(/\$\{\{([^}]*)\btemp\.(\w+)/g, '$${{$1vars.$2')
      changed ||= next !== node.value
      node.value = next
    },
  })
  if (changed) did('replace is replace_regex, whose first argument is a pattern; temp.NAME is vars.NAME')
}
