import { describe, expect, test } from 'vitest'
import { siteNamed, siteOf } from './site-of.ts'

describe('the site of an address', () => {
  test.each([
    ['https://www.example.co.uk/x?y#z', 'example.co.uk'],
    ['http://shop.example.com:8080/', 'example.com'],
    ['wss://live.example.com/', 'example.com'],
    ['https://example.com./', 'example.com'],
    ['https://me.github.io/', 'me.github.io'],
    ['https://例え.jp/', 'xn--r8jz45g.jp'],
    ['http://127.0.0.1:8080/', '127.0.0.1:8080'],
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://[::1]:90/', '[::1]:90'],
    ['http://localhost:3000/', 'localhost:3000'],
    ['http://wiki/', 'wiki'],
    ['blob:https://mail.example.com/1-2', 'example.com'],
  ])('%s is of %s', (address, site) => expect(siteOf(address)).toBe(site))

  test.each(['about:blank', 'chrome://settings/', 'data:text/html,x', 'file:///etc/passwd', 'no address'])(
    '%s is of none',
    address => expect(siteOf(address)).toBeNull(),
  )

  test('is what a person names, by address or by host', () => {
    expect(['Mail.Example.com', 'https://example.com/x', '127.0.0.1:8080', 'a b'].map(siteNamed)).toEqual([
      'example.com',
      'example.com',
      '127.0.0.1:8080',
      null,
    ])
  })
})
