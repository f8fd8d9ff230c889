import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchChromium } from '../../support/chromium.ts'
import { logInToNodeRed, type NodeRed, startNodeRed } from '../../support/node-red.ts'

let nodeRed: NodeRed

beforeAll(async () => {
  nodeRed = await startNodeRed()
  return nodeRed.stop
}, 300_000)

test('Node-RED runs the seeded flow and keeps its flows from strangers', async () => {
  expect(await (await fetch(`${nodeRed.url}/hello`)).text()).toBe('Hello from the flow')
  expect((await fetch(`${nodeRed.url}/flows`)).status).toBe(401)
  const login = { client_id: 'node-red-editor', grant_type: 'password', scope: '*', username: nodeRed.user }
  const token = (password: string) =>
    fetch(`${nodeRed.url}/auth/token`, { method: 'POST', body: new URLSearchParams({ ...login, password }) })
  expect((await token('wrong')).status).toBe(403)
  const { access_token } = await (await token(nodeRed.password)).json()
  const flows = await fetch(`${nodeRed.url}/flows`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await flows.json()).toContainEqual(expect.objectContaining({ type: 'tab', label: 'Greetings' }))
})

test('Node-RED lets a person in who types the password, keeps the token in the page, and calls nobody else', async () => {
  const browser = await launchChromium()
  onTestFinished(browser.close)
  const page = await browser.context.newPage()
  const foreign: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(nodeRed.url) && /^https?:/.test(request.url())) foreign.push(request.url())
  })
  await logInToNodeRed(page, nodeRed)
  expect(await page.locator('.red-ui-flow-node-label').allTextContents()).toContain('Greet')
  const stored = await page.evaluate(() => localStorage.getItem('auth-tokens'))
  expect(JSON.parse(stored ?? '{}')).toMatchObject({ token_type: 'Bearer', access_token: expect.any(String) })
  expect(foreign).toEqual([])
})
