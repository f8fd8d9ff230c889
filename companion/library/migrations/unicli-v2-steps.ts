import { type Document, isMap, isScalar, isSeq, type YAMLSeq } from 'yaml'
import type { Draft } from './migration.ts'
import { keyOf, pairAt, plain, put, rename, take, valueAt, type YamlMap } from './yaml-edits.ts'

/** Keys beside a step's name in Uni-CLI; ours are options of the step. */
const SIBLINGS = ['then', 'else', 'merge', 'retry', 'backoff', 'label', 'continue_on_error']

interface Place extends Draft {
  /** The step with its siblings. */
  step: YamlMap
  name: string
}

/** Steps by our names, in place; a step that became two is followed by the second. */
export function migratePipeline(pipeline: YAMLSeq, draft: Draft): void {
  const items = pipeline.items.flatMap(item => {
    if (!isMap(item)) return [item]
    const name = item.items.map(keyOf).find(key => !SIBLINGS.includes(key))
    if (name === undefined) return [item]
    const place = { ...draft, step: item, name }
    const after = (CHANGES[name] ?? unchanged)(place)
    for (const key of ['label', 'continue_on_error']) item.delete(key)
    if (!draft.steps.has(item.items.map(keyOf)[0] ?? '')) draft.open(`there is no step like "${name}"`)
    return [item, ...after.map(each => draft.document.createNode(each))]
  })
  pipeline.items = items
}

type Change = (place: Place) => readonly unknown[]
const unchanged: Change = () => []

/** The step's options as a map; a shorthand becomes one under the given name. */
function optionsOf({ step, name, document }: Place, shorthand: string): YamlMap {
  const value = pairAt(step, name)?.value
  if (isMap(value)) return value
  const options = document.createNode({ [shorthand]: plain(value, document) ?? null })
  put(step, name, options, document)
  return options as unknown as YamlMap
}

const fetchStep: Change = place => {
  const { step, document, open, did } = place
  const options = optionsOf(place, 'url')
  rename(options, 'params', 'query')
  if (place.name === 'fetch') rename(options, 'body', 'json')
  const attempts = take(options, 'retry', document) ?? take(step, 'retry', document)
  const backoff = take(options, 'backoff', document) ?? take(step, 'backoff', document)
  if (typeof attempts === 'number' && attempts > 1)
    put(options, 'retry', { attempts, ...(typeof backoff === 'number' && { backoff_ms: backoff }) }, document)
  for (const key of ['capture_cookies', 'rotate_urls', 'rotate_on_field'])
    if (options.delete(key)) open(`${key} of ${place.name} has no counterpart`)
  if (/\$\{\{[^}]*\bitem\b/.test(JSON.stringify(plain(options, document)))) {
    put(options, 'for_each', '${{ data }}', document)
    did(`${place.name} is made for each item of its data: for_each`)
  } else options.delete('concurrency')
  return []
}

const css = (selector: unknown): string => `css=${selector}`
/** A selector becomes a target. */
const acting =
  (...dropped: string[]): Change =>
  place => {
    const options = optionsOf(place, 'selector')
    const selector = take(options, 'selector', place.document)
    if (selector !== undefined) put(options, 'target', css(selector), place.document)
    for (const key of dropped)
      if (options.delete(key)) place.open(`${key} of ${place.name} has no counterpart`)
    return []
  }

const ifStep: Change = place => {
  const { step, document } = place
  const when = valueAt(step, 'if', document)
  const options = document.createNode({ when }) as unknown as YamlMap
  for (const key of ['then', 'else']) {
    const branch = pairAt(step, key)?.value
    step.delete(key)
    if (!isSeq(branch)) continue
    migratePipeline(branch, place)
    put(options, key, branch, document)
  }
  put(step, 'if', options, document)
  return []
}

/** Their each goes round until something holds; ours goes through items. */
const eachStep: Change = place => {
  const options = optionsOf(place, 'do')
  const body = pairAt(options, 'do')?.value
  if (isSeq(body)) migratePipeline(body, place)
  put(options, 'at_max', 'stop', place.document)
  rename(place.step, 'each', 'while')
  return []
}

const parallelStep: Change = place => {
  const { step, document, open } = place
  const list = pairAt(step, 'parallel')?.value
  const merge = take(step, 'merge', document) ?? 'concat'
  const branches = document.createNode({}) as unknown as YamlMap
  if (isSeq(list))
    for (const [at, branch] of list.items.entries()) {
      const pipeline = document.createNode([]) as unknown as YAMLSeq
      pipeline.items.push(branch)
      migratePipeline(pipeline, place)
      put(branches, `branch_${at + 1}`, pipeline, document)
    }
  if (merge === 'zip') open('parallel with merge: zip has no counterpart; concat was written')
  const options = document.createNode({
    merge: merge === 'object' ? 'object' : 'concat',
  }) as unknown as YamlMap
  put(options, 'branches', branches, document)
  put(step, 'parallel', options, document)
  return []
}

const waitStep: Change = place => {
  const options = optionsOf(place, 'ms')
  const selector = take(options, 'selector', place.document)
  options.delete('timeout')
  if (selector !== undefined) put(options, 'target', css(selector), place.document)
  return []
}

const navigateStep: Change = place => {
  const options = optionsOf(place, 'url')
  const settle = take(options, 'settleMs', place.document)
  if (rename(options, 'waitUntil', 'until') && valueAt(options, 'until', place.document) === 'networkidle')
    put(options, 'until', 'load', place.document)
  return typeof settle === 'number' && settle > 0 ? [{ wait: { ms: settle } }] : []
}

const pressStep: Change = place => {
  const options = optionsOf(place, 'key')
  const modifiers = take(options, 'modifiers', place.document)
  if (Array.isArray(modifiers) && modifiers.length > 0)
    put(options, 'key', [...modifiers, valueAt(options, 'key', place.document)].join('+'), place.document)
  return []
}

const scrollStep: Change = place => {
  const options = optionsOf(place, 'to')
  rename(options, 'to', 'direction')
  for (const key of ['auto', 'max', 'delay'])
    if (options.delete(key)) place.open(`${key} of scroll has no counterpart; use while`)
  const selector = take(options, 'selector', place.document)
  if (selector !== undefined) put(options, 'target', css(selector), place.document)
  return []
}

const interceptStep: Change = place => {
  const { document } = place
  const options = optionsOf(place, 'capture')
  rename(options, 'capture', 'match')
  rename(options, 'timeout', 'timeout_ms')
  for (const key of ['regex', 'captureText']) options.delete(key)
  const [kind = '', rest = ''] = String(take(options, 'trigger', document) ?? '').split(/:(.*)/s)
  if (kind === 'navigate') put(options, 'navigate', rest, document)
  else if (kind === 'click') put(options, 'trigger', [{ click: css(rest) }], document)
  else if (kind === 'scroll') put(options, 'trigger', [{ scroll: { direction: 'down' } }], document)
  else if (kind === 'evaluate') put(options, 'trigger', [{ evaluate: rest }], document)
  const select = take(options, 'select', document)
  return typeof select === 'string' ? [{ select: dotPath(select) }] : []
}

const assertStep: Change = place => {
  const options = optionsOf(place, 'condition')
  rename(options, 'condition', 'that')
  for (const key of ['url', 'selector', 'text'])
    if (options.delete(key))
      place.open(`assert by ${key} has no counterpart; read the page with extract before`)
  if (pairAt(options, 'message') === undefined)
    put(options, 'message', 'what was to hold does not', place.document)
  return []
}

const execStep: Change = place => {
  const { document, root } = place
  const options = optionsOf(place, 'command')
  const command = take(options, 'command', document)
  const args = (take(options, 'args', document) as unknown[] | undefined) ?? []
  put(options, 'argv', [command, ...args], document)
  if (pairAt(options, 'parse') === undefined) put(options, 'parse', 'lines', document)
  if (valueAt(root, 'effect', document) === 'read') put(options, 'effect', 'read', document)
  const known = (valueAt(root, 'executables', document) as unknown[] | undefined) ?? []
  if (typeof command === 'string' && !command.includes('${{') && !known.includes(command))
    put(root, 'executables', [...known, command], document)
  if (options.delete('timeout')) place.did('the timeout of exec is timeout_ms of the adapter')
  if (options.delete('output_file'))
    place.open('output_file of exec has no counterpart; use write_file after it')
  return []
}

const tempStep: Change = place => {
  const options = optionsOf(place, 'filename')
  rename(options, 'filename', 'name')
  const name = String(valueAt(options, 'name', place.document) ?? '')
  put(options, 'as', name.replaceAll(/\W/g, '_'), place.document)
  return []
}

const selectStep: Change = ({ step, document }) => {
  const path = valueAt(step, 'select', document)
  if (typeof path === 'string') setText(step, 'select', dotPath(path), document)
  return []
}

function setText(map: YamlMap, key: string, text: string, document: Document): void {
  const value = pairAt(map, key)?.value
  if (isScalar(value)) value.value = text
  else put(map, key, text, document)
}

/** `a[0].b[]` as `a.0.b`. */
const dotPath = (path: string): string =>
  path
    .replaceAll('[]', '')
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .replace(/^\./, '')

const named =
  (shorthand: string, names: Readonly<Record<string, string | null>>): Change =>
  place => {
    const options = optionsOf(place, shorthand)
    for (const [from, to] of Object.entries(names)) {
      if (to !== null) rename(options, from, to)
      else if (options.delete(from)) place.did(`left out ${from} of ${place.name}`)
    }
    return []
  }

/** What each step of theirs needs to become one of ours; those that are the same are not named. */
const CHANGES: Readonly<Record<string, Change>> = {
  fetch: fetchStep,
  fetch_text: fetchStep,
  if: ifStep,
  each: eachStep,
  parallel: parallelStep,
  wait: waitStep,
  navigate: navigateStep,
  click: acting('x', 'y', 'quads'),
  type: acting(),
  press: pressStep,
  scroll: scrollStep,
  intercept: interceptStep,
  assert: assertStep,
  exec: execStep,
  write_temp: tempStep,
  select: selectStep,
  append: named('to', {}),
  rate_limit: named('per_minute', { rpm: 'per_minute', domain: 'name' }),
  split_text: named('field_separator', { mode: null, strip_each: 'strip' }),
  extract: named('from', {
    required: null,
    empty_selector: null,
    challenge_selector: null,
    challenge_suggestion: null,
  }),
  'select-xml': place => {
    named('xpath', { unwrap_single: 'single' })(place)
    rename(place.step, 'select-xml', 'select_xml')
    return []
  },
  'oauth2-token': place => {
    named('token_url', { site: null, destination: null })(place)
    rename(place.step, 'oauth2-token', 'oauth2_token')
    return []
  },
}
