import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer, BrowserAgent } from '../../bench/peers/agent.ts'
import { type CaseSite, startCaseSite } from '../../bench/peers/case-site.ts'
import { CASES, judge } from '../../bench/peers/cases.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type Product, startProduct } from '../support/product.ts'

// The hard cases that the bench drives its peers over, here in a hidden tab of a person's own browser.
let product: Product
let browser: OwnBrowser
let site: CaseSite
let files: string
/** Of the last act. */
let verdict: string | null = null

beforeAll(async () => {
  site = await startCaseSite()
  product = await startProduct()
  files = join(product.env.unicliHome, 'files')
  await mkdir(files, { recursive: true })
  browser = await startOwnBrowser(product, 'cases')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.stop()
})

async function call(command: string, args: Record<string, unknown>): Promise<Answer> {
  const started = performance.now()
  const envelope: Envelope = await product.run(`browser.${command}`, args, {
    session: 'cases',
    timeout_ms: 20_000,
  })
  const { verdict: told = null, text } = (envelope.data ?? {}) as { verdict?: string; text?: string }
  if (told !== null) verdict = told
  return {
    text: text ?? JSON.stringify(envelope),
    isError: envelope.error !== null,
    ms: performance.now() - started,
  }
}

const agent = (): BrowserAgent => ({
  name: 'unicli',
  files,
  open: url => call('navigate', { url }),
  snapshot: () => call('snapshot', {}),
  find: (text, role, name) => {
    const line = text.split('\n').find(one => one.includes(`${role} "${name}"`)) ?? ''
    return /\[(d\d+e\d+)\]/.exec(line.slice(line.indexOf(`${role} "${name}"`)))?.[1] ?? null
  },
  click: target => call('click', { target }),
  fill: (target, text) => call('type', { target, text }),
  press: key => call('press', { key }),
  select: (target, option) => call('select_option', { target, option }),
  drag: (from, to) => call('drag', { from, to }),
  behind: async () => undefined,
  upload: (target, path) => call('upload', { target, files: [path] }),
  settleDialog: async () => undefined,
  call: (tool, args) => call(tool.replace(/^browser_/, ''), args),
  close: async () => undefined,
})

/** Files, dragging and the question whether to leave are proven where those operations are. */
const ELSEWHERE = /drag|upload|beforeunload/

test.each(CASES.filter(({ name }) => !ELSEWHERE.test(name)))('$name: $expected, and said so', async one => {
  verdict = null
  const { outcome } = await judge(agent(), site, one)
  const isDead = one.name === 'nothing happens'
  const told = isDead ? 'unconfirmed' : one.expected === 'refused' ? null : 'confirmed'
  expect({ outcome, verdict }).toEqual({ outcome: 'right', verdict: told })
})
