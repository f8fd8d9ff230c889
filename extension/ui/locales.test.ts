import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Evidence } from '../../shared/envelope.ts'
import { LinkPhase } from '../../shared/panel.ts'
import { LASTINGS, PROFILES, RISKS, SITE_WORDS } from '../../shared/policy.ts'
import { RunBrief } from '../../shared/status.ts'
import { Verdict } from '../../shared/values.ts'
import { duration } from './text.ts'

type Messages = Record<string, { message: string }>
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const messages = (language: string): Messages =>
  JSON.parse(read(`../public/_locales/${language}/messages.json`)) as Messages
const [en, zh] = [messages('en'), messages('zh_CN')]

const SOURCES = [
  'popup',
  'panel-parts',
  'side-panel',
  'side-panel-button',
  'link-way',
  'command',
  'approvals',
  'operations',
  'evidence',
  'profile-name',
  'options',
  'pause',
  'sessions',
  'sites',
]

describe('the words of the panels', () => {
  test('are the same in both languages, with the same places for values', () => {
    expect(Object.keys(zh)).toEqual(Object.keys(en))
    for (const [name, { message }] of Object.entries(en))
      expect([name, zh[name]?.message.match(/\$\d/g)]).toEqual([name, message.match(/\$\d/g)])
  })

  test('hold every name that the source asks for', () => {
    const asked = SOURCES.flatMap(name =>
      [...read(`./${name}.tsx`).matchAll(/\bt\('(\w+)'/g)].map(match => match[1] ?? ''),
    )
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter(name => en[name] === undefined)).toEqual([])
  })

  test('hold one for every state that can be shown', () => {
    const phases = LinkPhase.options.filter(phase => phase !== 'linked').map(phase => `phase_${phase}`)
    const lasting = LASTINGS.map(name => `lasts_${name}`)
    const risks = RISKS.filter(name => name !== 'none').map(name => `risk_${name}`)
    const words = [...SITE_WORDS, 'open', 'none'].map(name => `pageWord_${name}`)
    const marks = SITE_WORDS.flatMap(name => [`mark_${name}`, `site_${name}`])
    const policies = PROFILES.map(name => `policy_${name}`)
    const verdicts = Verdict.options.map(name => `verdict_${name}`)
    const kinds = Evidence.shape.kind.options.map(kind => `evidence_${kind}`)
    const runs = RunBrief.shape.state.options.map(state => `run_${state}`)
    expect(
      [
        ...phases,
        ...runs,
        ...lasting,
        ...risks,
        ...words,
        ...marks,
        ...policies,
        ...verdicts,
        ...kinds,
      ].filter(name => en[name] === undefined),
    ).toEqual([])
  })
})

describe('duration', () => {
  test('is told in the unit that fits', () => {
    expect([412.4, 3210, 125_000].map(duration)).toEqual(['412 ms', '3.2 s', '2 min'])
  })
})
