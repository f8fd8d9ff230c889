import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { ROOT } from './children.mjs'
import { CODE_FOLDERS, listFiles } from './files.mjs'

const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 60

/** Files that are one table of data, where a cut would only scatter it. Nothing else belongs here. */
const DATA_TABLES = new Set(['shared/failures.ts'])

const CODE = /\.(?:ts|tsx|mjs|js)$/
const TESTS = /(?:^tests\/|\.test\.tsx?$)/
const VAGUE_NAMES = /(?:^|\/)(?:utils?|helpers?|common|misc|manager|shared)\.[a-z.]+$/

/** The brackets keep this line from finding itself. */
const UNDATED_MARK = /\b(?:TO[D]O|FIX[M]E|XX[X]|HAC[K])\b(?! \[\d{4}-\d{2}-\d{2}\])/

/** Whatever is called with a title and a body in a test: describe, it, test, describe.each([…]) and kin. */
const SUITE_CALLS = /^(?:describe|it|test|suite|describeNeeding)\b/

/**
 * @typedef {{ path: string, text: string, tree: ts.SourceFile, nodes: ts.Node[] }} Source
 * @typedef {(source: Source) => string[]} Rule
 */

/** @type {Rule} */
function fileSize({ path, text }) {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (lines <= MAX_FILE_LINES || DATA_TABLES.has(path)) return []
  return [`${path}: ${lines} lines; split it (limit ${MAX_FILE_LINES}).`]
}

/** @type {Rule} */
function functionSize({ path, tree, nodes }) {
  return nodes.flatMap(node => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return []
    const first = lineOf(tree, node.getStart(tree))
    const lines = lineOf(tree, node.end) - first + 1
    if (lines <= MAX_FUNCTION_LINES || (TESTS.test(path) && isSuiteBody(node, tree))) return []
    return [`${path}:${first}: a function of ${lines} lines; split it (limit ${MAX_FUNCTION_LINES}).`]
  })
}

/** @type {Rule} */
function emptyCatch({ path, tree, nodes }) {
  return nodes.flatMap(node => {
    if (!swallows(node)) return []
    const line = lineOf(tree, node.getStart(tree))
    return [`${path}:${line}: an empty catch; test for the error that is expected and throw on any other.`]
  })
}

/** @type {Rule} */
function datedMark({ path, text }) {
  return text.split('\n').flatMap((line, index) => {
    const [mark] = UNDATED_MARK.exec(line) ?? []
    return mark
      ? [`${path}:${index + 1}: ${mark} without a date; write ${mark} [2030-01-31] or do it now.`]
      : []
  })
}

/** @type {Rule} */
function fileName({ path }) {
  return VAGUE_NAMES.test(path) ? [`${path}: the name says nothing; name the file after what it holds.`] : []
}

const RULES = [fileSize, functionSize, emptyCatch, datedMark, fileName]

/**
 * Applies the rules to each of our source files.
 *
 * @returns {string[]} one line for each fault
 */
export function sourceFaults() {
  const paths = listFiles(CODE_FOLDERS, CODE)
  if (paths.length === 0) return ['No source file was read.']
  return paths.flatMap(path => {
    const text = readFileSync(`${ROOT}/${path}`, 'utf8')
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const nodes = nodesOf(tree)
    return RULES.flatMap(rule => rule({ path, text, tree, nodes }))
  })
}

/** @param {ts.SourceFile} tree */
function nodesOf(tree) {
  /** @type {ts.Node[]} */
  const nodes = []
  /** @param {ts.Node} node */
  const visit = node => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return nodes
}

/**
 * @param {ts.SourceFile} tree
 * @param {number} position
 */
const lineOf = (tree, position) => tree.getLineAndCharacterOfPosition(position).line + 1

/**
 * @param {ts.Node} node
 * @param {ts.SourceFile} tree
 */
function isSuiteBody(node, tree) {
  const call = node.parent
  return ts.isCallExpression(call) && SUITE_CALLS.test(call.expression.getText(tree))
}

/**
 * `catch {}`, with or without a comment inside, and `.catch(() => {})`.
 *
 * @param {ts.Node} node
 */
function swallows(node) {
  if (ts.isCatchClause(node)) return node.block.statements.length === 0
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const [handler] = node.arguments
  if (node.expression.name.text !== 'catch' || !handler || !ts.isArrowFunction(handler)) return false
  if (ts.isBlock(handler.body)) return handler.body.statements.length === 0
  return ['undefined', 'void 0'].includes(handler.body.getText())
}
