import { describe, expect, it } from 'vitest'
import { Envelope, type ErrorInfo } from '../../../shared/envelope.ts'
import { told } from './told.ts'

const META = { site: 'browser', command: 'click', duration_ms: 1, effect: 'write', run_id: 'ab12' }

const answered = (data: unknown, meta = {}, evidence: unknown[] = []): Envelope =>
  Envelope.parse({
    ...{ ok: true, version: 'v2', data, meta: { ...META, ...meta }, evidence, error: null, exit_code: 0 },
  })

const act = (more: object) =>
  answered({ verdict: 'confirmed', effects: ['dom'], value: null, url: 'http://a/', title: 'A', ...more })

describe('an act', () => {
  it('is its verdict and what is different on the page', () => {
    expect(told(act({ changes: '~ "7"', hand: 'dom' }))).toBe('confirmed: dom\n~ "7"')
  })

  it('tells the value, the hand, and what else came of it', () => {
    const text = told(
      act({ effects: ['navigation', 'tab'], value: 'say "hi"', hand: 'cdp', note: 'why', tabs: [TAB] }),
    )
    expect(text.split('\n')).toEqual([
      "confirmed: navigation, tab by the browser's own input",
      'value: "say \\"hi\\""',
      'at "A" http://a/',
      `tabs: ${JSON.stringify([TAB])}`,
      'note: why',
    ])
  })

  it('that had no effect is its verdict alone', () => {
    expect(told(act({ verdict: 'unconfirmed', effects: [] }))).toBe('unconfirmed')
  })
})

const TAB = { tab: 't2', url: 'http://b/' }

describe('a snapshot', () => {
  const shown = (text: string) =>
    told(answered({ text, url: 'http://a/', title: 'A page', refs: 0, truncated: false }))

  it('is the page and its address', () => {
    expect(shown('heading "Hello"\nbutton "Go" [d1e1]')).toBe(
      'heading "Hello"\nbutton "Go" [d1e1]\nat http://a/',
    )
  })

  it('has the title where no heading says what the page is', () => {
    expect(shown('button "Go" [d1e1]')).toBe('button "Go" [d1e1]\nat "A page" http://a/')
  })
})

describe('other data', () => {
  it('is JSON, with remarks and evidence after it', () => {
    const envelope = answered({ width: 5 }, { notes: ['small'], truncated: 'Left out: 2 items.' }, [
      { kind: 'screenshot', id: 'f00' },
    ])
    expect(told(envelope)).toBe('{"width":5}\nLeft out: 2 items.\nnote: small\nevidence: screenshot f00')
  })
})

describe('a failure', () => {
  const failed = (error: Partial<ErrorInfo>, meta = {}) =>
    told(
      Envelope.parse({
        ...{ ok: false, version: 'v2', data: null, meta: { ...META, ...meta }, evidence: [], exit_code: 75 },
        error: {
          ...{ code: 'element_not_ready', message: 'It is covered.', class: 'context', retryable: true },
          ...{ suggestion: 'Close it.', ...error },
        },
      }),
    )

  it('is its code, what is wrong, what to do, and the run that shows more', () => {
    expect(failed({})).toBe('element_not_ready: It is covered.\nClose it.\nrun ab12')
  })

  it('says what else could be called, the details, and that something was written before', () => {
    expect(
      failed({ alternatives: ['browser.find', 'browser.wait'], details: { by: 'toast' } }, { wrote: true }),
    ).toBe(
      'element_not_ready: It is covered.\nClose it.\nor: browser.find; browser.wait\n' +
        'details: {"by":"toast"}\nSomething that may have changed the site had left before.\nrun ab12',
    )
  })
})
