import type { CliCommand } from '../command.ts'
import type { OperandSpec } from '../leaf.ts'
import { cellText } from '../output/rows.ts'

const KEY: OperandSpec = {
  name: 'key',
  doc: 'dotted name, such as output.format',
  required: true,
  complete: ({ config }) => config.list().map(each => each.key),
}

export const configList: CliCommand = {
  name: 'config list',
  doc: 'List all settings, their values and where each comes from.',
  operands: [],
  options: [],
  examples: ['unicli config list'],
  run: ({ parts: { config } }) => ({
    data: config.list().map(each => ({ ...each, value: each.value ?? null, default: each.default ?? null })),
    columns: ['key', 'value', 'source', 'doc'],
  }),
}

export const configGet: CliCommand = {
  name: 'config get',
  doc: 'Print the value of a setting; nothing when it has none.',
  operands: [KEY],
  options: [],
  examples: ['unicli config get output.format'],
  run({ parts: { config }, parsed }) {
    const value = config.get(parsed.operands[0] ?? '')
    return { data: value ?? null, text: value === undefined ? '' : `${cellText(value)}\n` }
  },
}

export const configSet: CliCommand = {
  name: 'config set',
  doc: 'Change a setting.',
  operands: [KEY, { name: 'value', doc: 'its new value', required: true }],
  options: [],
  examples: [
    'unicli config set output.format yaml',
    'unicli config set sites.mediawiki.base https://wiki.example.org',
  ],
  run({ parts: { config }, parsed }) {
    const [key = '', text = ''] = parsed.operands
    const value = config.set(key, text)
    return { data: { key, value }, text: `${key} = ${cellText(value)}\n` }
  },
}

export const configUnset: CliCommand = {
  name: 'config unset',
  doc: 'Take a setting out of the file, so that the default counts.',
  operands: [KEY],
  options: [],
  examples: ['unicli config unset output.format'],
  run({ parts: { config }, parsed }) {
    const [key = ''] = parsed.operands
    const removed = config.unset(key)
    return { data: { key, removed }, text: `${key} ${removed ? 'is unset' : 'was not set'}.\n` }
  },
}

export const configPath: CliCommand = {
  name: 'config path',
  doc: 'Print where the file with the settings lies.',
  operands: [],
  options: [],
  examples: ['unicli config path'],
  run: ({ parts: { config } }) => ({ data: { path: config.path() }, text: `${config.path()}\n` }),
}
