import { beforeEach, describe, expect, test } from 'vitest'
import { WireHeaders } from './wire-headers.ts'

describe('headers as they go over the wire', () => {
  let told: unknown[]
  let wire: WireHeaders
  beforeEach(() => {
    told = []
    wire = new WireHeaders(({ at: _, ...headers }) => told.push(headers))
  })

  test('belong to a request that is told of later', () => {
    wire.heard('1', 'request_headers', [['cookie', 'a=1']])
    wire.heard('1', 'response_headers', [['set-cookie', 'a=2']])
    expect(told).toEqual([])
    wire.began('1', 'first')
    expect(told).toEqual([
      { key: 'first', request_headers: [['cookie', 'a=1']] },
      { key: 'first', response_headers: [['set-cookie', 'a=2']] },
    ])
  })

  test('belong to the hop whose turn it is, whenever it is told of', () => {
    wire.began('1', 'first')
    wire.heard('1', 'response_headers', [['location', '/2']])
    wire.heard('1', 'response_headers', [['location', '/3']])
    wire.began('1', 'second')
    wire.began('1', 'third')
    wire.heard('1', 'response_headers', [['set-cookie', 'a=3']])
    expect(told).toEqual([
      { key: 'first', response_headers: [['location', '/2']] },
      { key: 'second', response_headers: [['location', '/3']] },
      { key: 'third', response_headers: [['set-cookie', 'a=3']] },
    ])
  })

  test('are not those of a hop that the browser made by itself', () => {
    wire.began('1', 'to https')
    wire.began('1', 'over the wire', false)
    wire.heard('1', 'response_headers', [['set-cookie', 'a=1']])
    expect(told).toEqual([{ key: 'over the wire', response_headers: [['set-cookie', 'a=1']] }])
  })
})
