import { readFileSync, statSync } from 'node:fs'
import { closest, distance } from 'fastest-levenshtein'
import { type Document, isMap, LineCounter, parseDocument } from 'yaml'
import { Failure } from '../../shared/failures.ts'
import type { ConfigStorePort, SettingInfo } from '../ports/state.ts'
import { FAMILY_SETTINGS, SETTINGS, type Setting, settingOf } from './settings.ts'
import { writeWhole } from './whole-file.ts'

/**
 * The person's settings in a YAML file, which they may also edit by hand: a change of the file is seen on the next
 * `get`. Writing keeps comments and order, and is atomic.
 *
 * @param file absolute; need not exist
 */
export function openConfig(file: string): ConfigStorePort {
  let seen: { stamp: string; document: Document } | null = null
  const read = (): Document => {
    const stamp = stampOf(file)
    if (seen?.stamp !== stamp) seen = { stamp, document: parse(file) }
    return seen.document
  }
  return {
    get(key) {
      const setting = settingOf(key)
      if (setting === null) throw unknownKey(key)
      const value = read().getIn(key.split('.'))
      return value === undefined || value === null ? setting.default : check(key, setting, plain(value))
    },
    set(key, text) {
      const setting = settingOf(key)
      if (setting === null) throw unknownKey(key)
      const value = check(key, setting, typed(setting, text))
      const document = parse(file)
      setIn(document, key, value)
      write(file, document)
      return value
    },
    unset(key) {
      if (settingOf(key) === null) throw unknownKey(key)
      const document = parse(file)
      const path = key.split('.')
      if (!document.hasIn(path)) return false
      document.deleteIn(path)
      for (let depth = path.length - 1; depth > 0; depth--) {
        const above = document.getIn(path.slice(0, depth))
        if (isMap(above) && above.items.length === 0) document.deleteIn(path.slice(0, depth))
      }
      write(file, document)
      return true
    },
    list: () => listSettings(read()),
    path: () => file,
  }
}

function listSettings(document: Document): SettingInfo[] {
  const infos = Object.entries(SETTINGS).map(([key, setting]) => infoOf(document, key, setting))
  const own = familyKeys(document).map(key => infoOf(document, key, settingOf(key) ?? unknownSetting(key)))
  const families = Object.entries(FAMILY_SETTINGS).map(([key, setting]) => infoOf(document, key, setting))
  return [...infos, ...own, ...families]
}

const unknownSetting = (key: string): never => {
  throw unknownKey(key)
}

function infoOf(document: Document, key: string, setting: Setting): SettingInfo {
  const stored = document.getIn(key.split('.'))
  const isSet = stored !== undefined && stored !== null
  const source = isSet ? 'file' : setting.default === undefined ? 'unset' : 'default'
  const value = isSet ? check(key, setting, plain(stored)) : setting.default
  return { key, doc: setting.doc, value, default: setting.default, source }
}

/** What is set of `sites` and `services`, by its whole keys. */
function familyKeys(document: Document): string[] {
  const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null
  return ['sites', 'services'].flatMap(family => {
    const members = document.toJS()?.[family] as unknown
    if (!isRecord(members)) return []
    return Object.entries(members).flatMap(([member, values]: [string, unknown]) =>
      isRecord(values) ? Object.keys(values).map(name => `${family}.${member}.${name}`) : [],
    )
  })
}

const plain = (value: unknown): unknown =>
  value instanceof Object && 'toJSON' in value ? JSON.parse(JSON.stringify(value)) : value

function check(key: string, setting: Setting, value: unknown): unknown {
  const parsed = setting.schema.safeParse(value)
  if (parsed.success) return parsed.data
  const reason = parsed.error.issues[0]?.message ?? 'it does not fit'
  throw new Failure('config_invalid', { key, reason })
}

/** What a person typed: as it stands where text is wanted, else as YAML reads it (`8080`, `true`). */
function typed(setting: Setting, text: string): unknown {
  if (setting.schema.safeParse(text).success && !setting.schema.safeParse(0).success) return text
  return parseDocument(text, { version: '1.2', schema: 'core' }).toJS()
}

function unknownKey(key: string): Failure {
  const known = [...Object.keys(SETTINGS), ...Object.keys(FAMILY_SETTINGS)]
  const near = closest(key, known)
  const hint =
    distance(key, near) <= Math.max(3, key.length / 3)
      ? `did you mean ${near}?`
      : `known: ${known.join(', ')}`
  return new Failure('config_invalid', { key, reason: `there is no such setting; ${hint}` })
}

/** Changes whenever the file does; atomic writes give it a new inode. */
function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? '' : `${stat.ino}:${stat.mtimeNs}:${stat.size}`
}

function parse(file: string): Document {
  const lines = new LineCounter()
  const document = parseDocument(readIfThere(file), { version: '1.2', schema: 'core', lineCounter: lines })
  const [fault] = document.errors
  if (fault !== undefined) {
    const reason = `${fault.message.split('\n')[0]?.replace(/ at line.*$/, '')}`
    throw new Failure('config_invalid', { key: `${file}:${lines.linePos(fault.pos[0]).line}`, reason })
  }
  if (document.contents !== null && !isMap(document.contents))
    throw new Failure('config_invalid', { key: file, reason: 'it must hold keys and values' })
  return document
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw unavailable(file, error)
  }
}

function setIn(document: Document, key: string, value: unknown): void {
  const path = key.split('.')
  for (let depth = 1; depth < path.length; depth++) {
    const above = document.getIn(path.slice(0, depth))
    if (above !== undefined && above !== null && !isMap(above))
      throw new Failure('config_invalid', {
        key: path.slice(0, depth).join('.'),
        reason: 'it must hold keys and values',
      })
    // An empty `sites:` reads as null; what is to hold keys must be a map.
    if (above === null) document.setIn(path.slice(0, depth), document.createNode({}))
  }
  // What was emptied is written as {}: new keys go below each other again.
  if (isMap(document.contents)) document.contents.flow = false
  document.setIn(path, value)
}

function write(file: string, document: Document): void {
  try {
    writeWhole(file, document.toString())
  } catch (error) {
    throw unavailable(file, error)
  }
}

const unavailable = (file: string, error: unknown): Failure =>
  new Failure(
    'state_unavailable',
    { file, reason: error instanceof Error ? error.message : String(error) },
    { cause: error },
  )
