import { describe, expect, it } from 'vitest'
import { addressOf } from './addresses.ts'

describe('an address', () => {
  it.each([
    ['/api.php', 'https://w.example/wiki', 'https://w.example/wiki/api.php'],
    ['api.php?a=1', 'https://w.example/wiki', 'https://w.example/wiki/api.php?a=1'],
    ['', 'https://w.example', 'https://w.example/'],
    ['https://other.example/x', 'https://w.example', 'https://other.example/x'],
    ['example.com', '', 'https://example.com/'],
    ['例え.jp/パス', '', 'https://xn--r8jz45g.jp/%E3%83%91%E3%82%B9'],
    ['localhost:8080/x', '', 'http://localhost:8080/x'],
    ['127.0.0.1:81', '', 'http://127.0.0.1:81/'],
    ['[::1]:3000/', '', 'http://[::1]:3000/'],
    ['about:blank', '', 'about:blank'],
  ])('%s under "%s" is %s', (url, base, want) => {
    expect(addressOf({ url }, base)).toBe(want)
  })

  it('takes a query, leaves null out and encodes the rest', () => {
    const query = { q: 'a b&c', n: 2, none: null, yes: true, 词: '桥' }
    expect(addressOf({ url: '/s?x=1', query }, 'https://w.example')).toBe(
      'https://w.example/s?x=1&q=a+b%26c&n=2&yes=true&%E8%AF%8D=%E6%A1%A5',
    )
  })

  it.each(['nonsense', '', 'http://'])('"%s" alone is refused', url => {
    expect(() => addressOf({ url }, '')).toThrow('is not an address')
  })
})
