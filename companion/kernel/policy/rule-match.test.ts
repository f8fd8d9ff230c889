import { describe, expect, it } from 'vitest'
import { operation } from '../../../tests/support/kernel-world.ts'
import type { ArgumentRule, PolicyRule } from '../../ports/policy.ts'
import { fits } from './rule-match.ts'

const fitsTo = (decision: PolicyRule['decision'], wanted: ArgumentRule, to: unknown): boolean =>
  fits({ decision, args: { to: wanted }, line: 1 }, matterOf(to))

const matterOf = (to: unknown) => ({
  operation: operation({}),
  args: { to },
  surface: 'mcp' as const,
  access: null,
})

describe('a rule about an argument that is a list', () => {
  const mixed = ['me@home.example', 'x@evil.example']

  it('forbids and asks when one of its values fits', () => {
    for (const decision of ['deny', 'ask'] as const) {
      expect(fitsTo(decision, '*@evil.example', mixed)).toBe(true)
      expect(fitsTo(decision, ['*@evil.example', 'a@b.example'], mixed)).toBe(true)
      expect(fitsTo(decision, { not: '*@home.example' }, mixed)).toBe(true)
      expect(fitsTo(decision, { min: 100 }, [1, 500])).toBe(true)
      expect(fitsTo(decision, { not: '*@home.example' }, ['me@home.example'])).toBe(false)
      expect(fitsTo(decision, '*@evil.example', [])).toBe(false)
    }
  })

  it('allows only when each of its values fits', () => {
    expect(fitsTo('allow', '*@home.example', mixed)).toBe(false)
    expect(fitsTo('allow', ['*@home.example', 'a@b.example'], [['me@home.example'], 'a@b.example'])).toBe(
      true,
    )
    expect(fitsTo('allow', { not: '*@evil.example' }, mixed)).toBe(false)
    expect(fitsTo('allow', { max: 10 }, [1, 500])).toBe(false)
    expect(fitsTo('allow', { max: 10 }, [1, 5])).toBe(true)
    expect(fitsTo('allow', '*', [])).toBe(false)
  })

  it('counts its length as a whole', () => {
    expect(fitsTo('allow', { max_length: 2 }, mixed)).toBe(true)
    expect(fitsTo('allow', { max_length: 1 }, mixed)).toBe(false)
    expect(fitsTo('allow', { not: 'x' }, [])).toBe(true)
  })
})
