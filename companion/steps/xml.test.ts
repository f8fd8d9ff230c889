import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

describe('parse_xml', () => {
  it.each([
    ['text and attributes', '<a x="1">t<b/></a>', { a: { '@x': '1', b: '', '#text': 't' } }],
    ['repeated elements', '<a><b>1</b><b>2</b></a>', { a: { b: ['1', '2'] } }],
    ['CDATA and entities', '<a><![CDATA[<桥>]]> &amp; &#x6865;</a>', { a: '<桥> & 桥' }],
    ['prefixes', '<x:a xmlns:x="urn:x"><x:b>1</x:b></x:a>', { 'x:a': { '@xmlns:x': 'urn:x', 'x:b': '1' } }],
  ])('reads %s', async (_, text, want) => {
    expect(await answerOf([{ parse_xml: {} }], text)).toEqual(want)
  })

  it.each([
    [
      'an entity of its own',
      '<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;">]><a>&m;</a>',
      'entity not found',
    ],
    [
      'an entity of a file',
      '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>',
      'entity not found',
    ],
    ['tags that do not match', '<a><b></a>', 'tag mismatch'],
    ['no XML', 'hello', 'could not be parsed'],
    ['nothing', '', 'could not be parsed'],
    ['endless nesting', `${'<a>'.repeat(2000)}${'</a>'.repeat(2000)}`, 'nested more than'],
  ])('refuses %s', async (_, text, reason) => {
    const failure = await failureOf([{ parse_xml: {} }], text)
    expect(failure.code).toBe('parse_failed')
    expect(failure.message).toContain(reason)
  })
})

describe('select_xml', () => {
  const text = '<r xmlns="urn:d" xmlns:x="urn:x"><i k="1"><t>桥</t></i><i k="2"><t>b</t><x:u>u</x:u></i></r>'
  const namespaces = { d: 'urn:d', x: 'urn:x' }

  it.each([
    ['attributes', { xpath: '//d:i/@k', namespaces }, ['1', '2']],
    ['elements of another prefix', { xpath: '//y:u', namespaces: { y: 'urn:x' } }, ['u']],
    ['numbers', { xpath: 'count(//d:i)', namespaces }, 2],
    ['texts', { xpath: 'string(//d:t)', namespaces }, '桥'],
    ['truth values', { xpath: '//d:i/@k > 1', namespaces }, true],
    ['the first alone', { xpath: '//d:t', namespaces, single: true }, '桥'],
    ['nodes in the order of the document', { xpath: '//x:u | //d:t', namespaces }, ['桥', 'b', 'u']],
    ['raw XML', { xpath: '//d:i[1]/d:t', namespaces, raw: true }, ['<t xmlns="urn:d">桥</t>']],
    ['nothing', { xpath: '//none' }, []],
  ])('gives %s', async (_, options, want) => {
    expect(await answerOf([{ 'select-xml': options }], text)).toEqual(want)
  })

  it.each([
    ['a fault in the XPath', '//[', 'parse_failed'],
    ['a prefix that is not declared', '//z:a', 'parse_failed'],
  ])('fails on %s', async (_, xpath, code) => {
    expect((await failureOf([{ select_xml: xpath }], text)).code).toBe(code)
  })

  it('fails when the one that was asked for is not there', async () => {
    expect((await failureOf([{ select_xml: { xpath: '//none', single: true } }], text)).code).toBe(
      'select_missed',
    )
  })

  it('is done with thousands of siblings in seconds', async () => {
    const many = `<r>${'<i k="v"><t>桥</t></i>'.repeat(5000)}</r>`
    const started = performance.now()
    expect(await answerOf([{ select_xml: '//i[@k="v"]/t' }], many)).toHaveLength(5000)
    expect(performance.now() - started).toBeLessThan(15_000)
  })
})
