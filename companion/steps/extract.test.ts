import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

const page = '<ul><li data-id="7"><a href="/1">桥</a> 1,204 points by ann</li><li><a>Roads</a> none</li></ul>'
const field = (spec: unknown) => [{ extract: { from: 'li', fields: { f: spec } } }]

describe('extract', () => {
  it.each([
    ['text', 'a', ['桥', 'Roads']],
    ['an attribute', { selector: 'a', type: 'attribute', attribute: 'href' }, ['/1', null]],
    ['an attribute of the row as a number', { attribute: 'data-id', type: 'number' }, [7, null]],
    ['a number', { type: 'number' }, [1204, null]],
    ['HTML', { selector: 'a', type: 'html' }, ['桥', 'Roads']],
    ['the group of a pattern', { pattern: '/BY (\\w+)/i' }, ['ann', null]],
    ['a pattern without a group, as a number', { pattern: '[\\d,]+', type: 'number' }, [1204, null]],
    ['all matches', { selector: 'a', multiple: true }, [['桥'], ['Roads']]],
  ])('reads %s', async (_, spec, want) => {
    expect(await answerOf(field(spec), page)).toEqual(want.map(f => ({ f })))
  })

  it.each([
    ['−3.5 °C', -3.5],
    ['.5 km', 0.5],
    ['１２３', 123],
    ['v1.5', 1.5],
  ])('reads "%s" as a number', async (text, want) => {
    const html = `<ul><li>${text}</li></ul>`
    expect(await answerOf(field({ type: 'number' }), html)).toEqual([{ f: want }])
  })

  it('fails where a field that must be there is not', async () => {
    const failure = await failureOf(field({ selector: 'a', attribute: 'href', required: true }), page)
    expect(failure.code).toBe('element_not_found')
  })

  it('refuses an attribute without a name and a pattern that is none when the adapter is loaded', async () => {
    await expect(answerOf(field({ type: 'attribute' }), page)).rejects.toThrow('say which attribute')
    await expect(answerOf(field({ pattern: '(?=x)' }), page)).rejects.toThrow('is no pattern')
  })
})
