import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Snapshot } from '../../shared/values.ts'
import { launchRawChromium, type RawChromium } from '../support/chromium-raw.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { isAlive } from '../support/processes.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: FixtureSite

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startFixtureSite()])
})
afterAll(async () => {
  await product?.close()
  await site?.stop()
})

const ON = { profile: 'managed' }

async function does<T>(operation: string, args: Record<string, unknown>, options = {}): Promise<T> {
  const { data, error } = await product.run(operation, args, options)
  expect(error).toBeNull()
  return data as T
}

interface Launched {
  name: string
  pid: number
  linked: boolean
  browser: string
}

describe('a browser that browser.launch starts', () => {
  let launched: Launched

  test('is linked when the call is answered, and is called by its name', async () => {
    const started = await product.cli('browser', 'launch', '--name', 'ci', '--headless')
    expect(started.code).toBe(0)
    launched = started.json().data as Launched
    expect(launched).toMatchObject({ name: 'ci', linked: true, headless: true, endpoint: null })
    await does('browser.navigate', { url: `${site.url}/controls` }, { profile: 'ci' })
    expect(
      await does('browser.click', { target: 'role=button[name="Count"]' }, { profile: 'ci' }),
    ).toMatchObject({
      verdict: 'confirmed',
    })
  })

  test('is the same one when it is launched again', async () => {
    expect(await does('browser.launch', { name: 'ci' })).toMatchObject({ pid: launched.pid })
    expect(await does('browser.managed', {})).toMatchObject([{ name: 'ci', linked: true }])
  })

  test('ends with all that it started when it is told to quit', async () => {
    expect(await does('browser.quit', { name: 'ci' })).toEqual({ quit: true })
    expect(isAlive(launched.pid)).toBe(false)
    expect(await does('browser.managed', {})).toEqual([])
    expect(await does('browser.quit', { name: 'ci' })).toEqual({ quit: false })
  })

  test('that is not there is said with what to do', async () => {
    const { error } = await product.run('browser.launch', { browser: '/nowhere/chromium' })
    expect(error).toMatchObject({
      code: 'browser_not_found',
      suggestion: expect.stringContaining('--browser'),
    })
  })
})

describe('a remote browser without the extension', () => {
  let remote: RawChromium

  beforeAll(async () => {
    remote = await launchRawChromium()
    const endpoint = `http://${new URL(remote.wsUrl).host}`
    expect(await does('browser.launch', { cdp: endpoint })).toMatchObject({
      name: 'managed',
      linked: true,
      endpoint,
    })
  })
  afterAll(async () => {
    await remote?.close()
  })

  test('is seen, and acted on, as one with the extension is', async () => {
    await does('browser.navigate', { url: `${site.url}/controls` }, ON)
    const { text } = await does<Snapshot>('browser.snapshot', { interactive: true }, ON)
    const ref = /button "Count" \[(d\d+e\d+)\]/.exec(text)?.[1]
    expect(await does('browser.click', { target: ref }, ON)).toMatchObject({ verdict: 'confirmed' })
    expect(await does('browser.evaluate', { expression: 'document.title' }, ON)).toMatch('Controls')
  })

  test('logs in, keeps its cookies, and follows where that leads', async () => {
    await does('browser.navigate', { url: `${site.url}/login` }, ON)
    await does('browser.type', { target: 'css=input[name=user]', text: site.user }, ON)
    const submitted = await does(
      'browser.type',
      { target: 'css=input[name=password]', text: site.password, submit: true },
      ON,
    )
    expect(submitted).toMatchObject({ verdict: 'confirmed' })
    await does('browser.wait', { target: 'css=#new-note' }, ON)
    expect(await does('browser.cookies', { url: site.url }, ON)).toContainEqual(
      expect.objectContaining({ http_only: true, name: 'demo_session' }),
    )
  })

  test('goes on when it is let go, without the tabs that were ours', async () => {
    expect(await does('browser.quit', {})).toEqual({ quit: true })
    expect(isAlive(remote.pid)).toBe(true)
    const { targetInfos } = await remote.cdp.send<{ targetInfos: { url: string }[] }>('Target.getTargets')
    expect(targetInfos.map(({ url }) => url).filter(url => url.startsWith(site.url))).toEqual([])
    const { error } = await product.run('browser.snapshot', {}, ON)
    expect(error?.code).toBe('no_browser')
  })

  test('that does not answer is said to be out of reach', async () => {
    const { error } = await product.run('browser.launch', { name: 'none', cdp: 'http://127.0.0.1:1' })
    expect(error).toMatchObject({
      code: 'browser_unreachable',
      message: expect.stringContaining('127.0.0.1:1'),
    })
  })
})
