import { describe, expect, test } from 'vitest'
import { NavigationTrack, type Step, type Until } from './navigation.ts'

const URL_A = 'http://a.test/x'
const ABORTED = 'net::ERR_ABORTED'

/** Verdicts of the steps, in order; a step is `kind`, `kind address` or `error address text`. */
function verdicts(until: Until, ...steps: string[]): unknown[] {
  const track = new NavigationTrack(URL_A, until)
  return steps.map(text => {
    const [kind, url = URL_A, error = ''] = text.split(' ')
    return track.next({ kind: kind as Step['kind'], url, error })
  })
}

describe('NavigationTrack', () => {
  test('is there when our document got as far as was asked', () => {
    expect(verdicts('load', 'begin', 'commit', 'domcontentloaded', 'load')).toEqual([
      'pending',
      'pending',
      'pending',
      'reached',
    ])
    expect(verdicts('commit', 'begin', 'commit')).toEqual(['pending', 'reached'])
  })

  test('does not take the steps of the page before for its own', () => {
    expect(verdicts('load', 'load http://old.test/', 'begin', 'load http://old.test/')).not.toContain(
      'reached',
    )
  })

  test('is there at once within the same document, unless it is another address', () => {
    expect(verdicts('load', 'same_document')).toEqual(['reached'])
    expect(verdicts('load', 'same_document http://old.test/#own')).toEqual(['pending'])
    expect(verdicts('load', 'begin', 'commit', 'same_document')).not.toContain('reached')
  })

  test('follows a redirect by script to its end', () => {
    const steps = ['begin', 'commit', 'begin http://b.test/', `error ${URL_A} ${ABORTED}`]
    expect(verdicts('load', ...steps, 'commit http://b.test/', 'load http://b.test/').at(-1)).toBe('reached')
  })

  test('fails with the browser’s reason, or when no page came', () => {
    expect(verdicts('load', 'begin', `error ${URL_A} net::ERR_NAME_NOT_RESOLVED`)[1]).toEqual({
      failed: 'net::ERR_NAME_NOT_RESOLVED',
    })
    expect(verdicts('load', 'begin', `error ${URL_A} ${ABORTED}`)[1]).toEqual({
      failed: `${ABORTED}: a download or an empty answer, not a page`,
    })
  })

  test('does not fail for what it replaced', () => {
    expect(verdicts('load', `error http://old.test/ ${ABORTED}`, 'begin')).toEqual(['pending', 'pending'])
    expect(verdicts('load', 'begin', `error http://old.test/ ${ABORTED}`)).toEqual(['pending', 'pending'])
  })

  test('does not fail where Firefox begins anew in another process', () => {
    const aborted = `error ${URL_A} NS_BINDING_ABORTED`
    const doubtful = { doubtful: 'NS_BINDING_ABORTED: a download or an empty answer, not a page' }
    expect(verdicts('load', 'begin', 'begin', aborted, 'commit', 'load').slice(2)).toEqual([
      doubtful,
      'pending',
      'reached',
    ])
    expect(verdicts('load', 'begin', aborted, 'begin', 'commit', 'load').slice(1)).toEqual([
      doubtful,
      'pending',
      'pending',
      'reached',
    ])
  })

  test('passes over the empty page of a new tab', () => {
    expect(verdicts('commit', 'commit about:blank', 'load about:blank')).toEqual(['pending', 'pending'])
    const empty = new NavigationTrack('about:blank', 'commit')
    expect(empty.next({ kind: 'commit', url: 'about:blank', error: '' })).toBe('reached')
  })
})
