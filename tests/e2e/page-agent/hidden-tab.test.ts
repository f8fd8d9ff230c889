import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PageAnswer, PageMethod, PageMethods } from '../../../extension/page/agent.ts'
import type { ProtocolClient } from '../../support/browser-protocol.ts'
import { openTab } from '../../support/cdp.ts'
import { launchRawChromium, type RawChromium } from '../../support/chromium-raw.ts'
import { agentScript } from '../../support/page-agent.ts'
import { type PageServer, startPageServer } from '../../support/page-server.ts'
import { PLAIN_CLICK } from '../../support/plain-click.ts'

let browser: RawChromium
let site: PageServer
let tab: HiddenTab

/** A tab behind another one. Playwright makes every page believe that it is in front. */
interface HiddenTab {
  evaluate<T>(expression: string, contextId?: number): Promise<T>
  call<M extends PageMethod>(
    method: M,
    params: PageMethods[M]['params'],
  ): Promise<PageAnswer<PageMethods[M]['result']>>
}

beforeAll(async () => {
  site = await startPageServer({
    '/hidden': `<!doctype html><title>Hidden</title>
      <button onclick="this.textContent = 'Clicked'">Click</button><button>Dead</button>
      <input aria-label=A id=a><input aria-label=B id=b>
      <script>window.events = []
        for (const name of ['focus', 'focusin', 'blur', 'focusout', 'change']) addEventListener(name, e => events.push(name + ' ' + e.target.id), true)
      </script>`,
  })
  browser = await launchRawChromium()
  tab = await openHidden(browser.cdp, `${site.url}/hidden`)
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

async function openHidden(client: ProtocolClient, url: string): Promise<HiddenTab> {
  const { targetId } = await client.send<{ targetId: string }>('Target.createTarget', {
    url: 'about:blank',
    background: true,
  })
  const front = await openTab(client, 'about:blank')
  await client.send('Target.activateTarget', { targetId: front })
  const { sessionId } = await client.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  })
  const evaluate = async <T>(expression: string, contextId?: number): Promise<T> => {
    const { result, exceptionDetails } = await client.send<{
      result: { value: T }
      exceptionDetails?: object
    }>(
      'Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true, ...(contextId ? { contextId } : {}) },
      sessionId,
    )
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }
  // Its first document is an empty one, whatever it is opened with.
  await client.send('Page.enable', {}, sessionId)
  const loaded = client.waitForEvent('Page.loadEventFired', (_, session) => session === sessionId)
  await client.send('Page.navigate', { url }, sessionId)
  await loaded
  await evaluate(`new Promise(done => {
    const look = () => document.hidden && done()
    document.addEventListener('visibilitychange', look)
    look()
  })`)
  const { frameTree } = await client.send<{ frameTree: { frame: { id: string } } }>(
    'Page.getFrameTree',
    {},
    sessionId,
  )
  const { executionContextId } = await client.send<{ executionContextId: number }>(
    'Page.createIsolatedWorld',
    { frameId: frameTree.frame.id, worldName: 'agent' },
    sessionId,
  )
  await evaluate(await agentScript(), executionContextId)
  return {
    evaluate,
    call: (method, params) => {
      const context = { document: 1, call: method, deadline: Date.now() + 20_000 }
      const list = [method, params, context].map(value => JSON.stringify(value)).join(', ')
      return evaluate(`globalThis.__unicliPage.call(${list})`, executionContextId)
    },
  }
}

const type = (label: string, text: string) =>
  tab.call('type', { target: `label=${label}`, text, replace: true, submit: false })

test('a tab behind another is clicked without waiting for frames or throttled timers', async () => {
  expect(await tab.evaluate('document.visibilityState')).toBe('hidden')
  const click = (target: string) => tab.call('click', { target, ...PLAIN_CLICK })
  expect(await click('text=Click')).toMatchObject({ value: { verdict: 'confirmed', effects: ['dom'] } })
  const started = Date.now()
  expect(await click('text=Dead')).toMatchObject({ value: { verdict: 'unconfirmed' } })
  // Throttled to one timer a second, the same takes more than five.
  expect(Date.now() - started).toBeLessThan(3000)
})

test('in a tab behind another the focus moves with all of its events', async () => {
  expect(await type('A', 'one')).toMatchObject({ value: { verdict: 'confirmed', value: 'one' } })
  expect(await type('B', '二')).toMatchObject({ value: { verdict: 'confirmed', value: '二' } })
  expect(await tab.evaluate('events.filter(event => / [ab]$/.test(event))')).toEqual([
    'focus a',
    'focusin a',
    'change a',
    'blur a',
    'focusout a',
    'focus b',
    'focusin b',
  ])
})
