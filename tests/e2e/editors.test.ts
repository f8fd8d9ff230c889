import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActResult } from '../../shared/values.ts'
import { startBundledSite } from '../support/bundled-site.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import type { PageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let browser: OwnBrowser
let site: PageServer

const PLACES = ['prosemirror', 'quill', 'codemirror', 'monaco0', 'monaco1', 'xterm']

beforeAll(async () => {
  const places = PLACES.map(id => `<div id="${id}" style="height: 110px; width: 600px"></div>`).join('')
  const lexical = '<div id="lexical" contenteditable aria-label="Lexical" role="textbox"></div>'
  site = await startBundledSite('editors', `${lexical}${places}<p id="ready"></p>`)
  product = await startProduct()
  browser = await startOwnBrowser(product, 'editors')
  await does('navigate', { url: site.url })
  await does('wait', { target: 'css=#ready', text: 'ready' })
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

async function does<T = ActResult>(command: string, args: Record<string, unknown>): Promise<T> {
  const { data, error } = await product.run(`browser.${command}`, args, {
    session: 'edit',
    timeout_ms: 25_000,
  })
  expect(error?.message ?? null).toBeNull()
  return data as T
}
const model = (name: string) => does<string>('evaluate', { expression: `model.${name}()` })

const EDITORS = [
  { name: 'prosemirror', target: 'role=textbox[name="ProseMirror"]' },
  { name: 'quill', target: 'role=textbox[name="Quill"]' },
  { name: 'codemirror', target: 'role=textbox[name="CodeMirror"]' },
  { name: 'lexical', target: 'role=textbox[name="Lexical"]' },
  { name: 'monaco', target: 'css=#monaco0 .native-edit-context' },
  { name: 'monaco_old', target: 'css=#monaco1 textarea' },
]
const TEXTS = ['New words 新的文字', 'first line\nsecond line\n\nfourth 第四行', '']

describe.each(EDITORS)('$name', ({ name, target }) => {
  for (const hand of ['auto', 'cdp'])
    test(`by ${hand} has in its model what was typed, and that is what is confirmed`, async () => {
      for (const text of TEXTS) {
        const typed = await does('type', { target, text, hand })
        expect([name, text, await model(name), typed.verdict]).toEqual([name, text, text, 'confirmed'])
      }
      await does('type', { target, text: 'one', hand })
      const added = await does('type', { target, text: ' 二 three', replace: false, hand })
      expect([await model(name), added.verdict]).toEqual(['one 二 three', 'confirmed'])
    })
})

test('a terminal, which listens to keys and has no text of its own, gets them one by one', async () => {
  for (const hand of ['auto', 'cdp']) {
    const typed = await does('type', { target: 'css=#xterm', text: 'echo Hi', keys: true, hand })
    expect(typed.verdict).toBe('confirmed')
    expect(await model('xterm')).toBe('echo Hi')
    await does('press', { key: 'Enter', hand })
    expect(await model('xterm')).toBe('')
  }
  expect(await does('evaluate', { expression: 'lines' })).toEqual(['echo Hi', 'echo Hi'])
})
