import { createTwoFilesPatch } from 'diff'
import { type Document, isScalar, isSeq, parseDocument } from 'yaml'
import { Failure } from '../../shared/failures.ts'
import type { YamlPath } from '../library/yaml-source.ts'

/** A change to an adapter file. `insert` puts a step before the one at `path`. */
export type Edit =
  | { kind: 'set'; path: YamlPath; value: string }
  | { kind: 'insert'; path: YamlPath; step: string; value: string }
  | { kind: 'remove'; path: YamlPath }

const read = (text: string): Document =>
  parseDocument(text, { version: '1.2', schema: 'core', stringKeys: true })

/** The text with the changes made and everything else, comments and layout too, as it was. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  // What moves other steps comes last, from the end of the file to its beginning.
  const moving = edits.filter(edit => edit.kind !== 'set').toSorted((a, b) => compare(b.path, a.path))
  return [...edits.filter(edit => edit.kind === 'set'), ...moving].reduce(applyEdit, text)
}

function compare(a: YamlPath, b: YamlPath): number {
  for (const [index, key] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    if (typeof key === 'number' && typeof other === 'number' && key !== other) return key - other
  }
  return a.length - b.length
}

function applyEdit(text: string, edit: Edit): string {
  const document = read(text)
  const wanted = read(text)
  if (edit.kind === 'set') {
    wanted.setIn(edit.path, edit.value)
    return firstOf(wanted, setInPlace(text, document, edit.path, edit.value))
  }
  const index = Number(edit.path.at(-1))
  const list = wanted.getIn(edit.path.slice(0, -1))
  if (!isSeq(list)) throw fault(`there is no list at ${edit.path.join('.')}`)
  if (edit.kind === 'remove') {
    list.items.splice(index, 1)
    return firstOf(wanted, linesWithout(text, document, edit.path))
  }
  list.items.splice(index, 0, wanted.createNode({ [edit.step]: edit.value }))
  return firstOf(wanted, lineBefore(text, document, edit))
}

/** The first text that says what was wanted; when none does, the whole is written anew, comments kept. */
function firstOf(wanted: Document, texts: readonly string[]): string {
  const meant = JSON.stringify(wanted.toJS())
  const fitting = texts.find(text => {
    const document = read(text)
    return document.errors.length === 0 && JSON.stringify(document.toJS()) === meant
  })
  return fitting ?? wanted.toString({ lineWidth: 0 })
}

/** A value as it can be written: plainly, or in quotes. */
const forms = (value: string): string[] => [value, `'${value.replaceAll("'", "''")}'`, JSON.stringify(value)]

function setInPlace(text: string, document: Document, path: YamlPath, value: string): string[] {
  const node = document.getIn(path, true)
  if (!isScalar(node) || !node.range) return []
  const [start, end] = node.range
  const style = node.type === 'QUOTE_DOUBLE' ? 2 : node.type === 'QUOTE_SINGLE' ? 1 : 0
  const [own = '', ...others] = [forms(value)[style] ?? '', ...forms(value)]
  return [own, ...others].map(form => text.slice(0, start) + form + text.slice(end))
}

function lineBefore(text: string, document: Document, edit: Extract<Edit, { kind: 'insert' }>): string[] {
  const at = lineStart(text, document, edit.path)
  if (at === null) return []
  const indent = /^\s*/.exec(text.slice(at))?.[0] ?? ''
  return forms(edit.value).map(
    form => `${text.slice(0, at)}${indent}- ${edit.step}: ${form}\n${text.slice(at)}`,
  )
}

function linesWithout(text: string, document: Document, path: YamlPath): string[] {
  const at = lineStart(text, document, path)
  const node = document.getIn(path, true)
  if (at === null || typeof node !== 'object' || node === null || !('range' in node)) return []
  const [, end] = node.range as [number, number, number]
  const line = text.indexOf('\n', end - 1)
  return [text.slice(0, at) + (line === -1 ? '' : text.slice(line + 1))]
}

/** Where the line of a list's item begins; null in a list that is written on one line. */
function lineStart(text: string, document: Document, path: YamlPath): number | null {
  const node = document.getIn(path, true)
  if (typeof node !== 'object' || node === null || !('range' in node) || !node.range) return null
  const [start] = node.range as [number, number, number]
  const line = text.lastIndexOf('\n', start - 1) + 1
  return /^\s*-\s+$/.test(text.slice(line, start)) ? line : null
}

const fault = (reason: string): Failure => new Failure('internal', { reason })

/** What two texts differ in, as a patch of the file. */
export const patchOf = (file: string, before: string, after: string): string =>
  createTwoFilesPatch(file, file, before, after, 'now', 'repaired', { context: 2 })
