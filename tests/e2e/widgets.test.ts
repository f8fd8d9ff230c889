import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBundledSite } from '../support/bundled-site.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import type { PageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

// Libraries as sites use them, driven by what an agent has; each act is held against what the app itself then holds.
let product: Product
let browser: OwnBrowser
let site: PageServer

beforeAll(async () => {
  site = await startBundledSite('widgets', '<div id="root"></div>')
  product = await startProduct()
  browser = await startOwnBrowser(product, 'widgets')
  await does('navigate', { url: site.url })
  await does('wait', { target: 'role=button[name="Send"]' })
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

async function does(command: string, args: Record<string, unknown>): Promise<unknown> {
  const { data, error } = await product.run(`browser.${command}`, args, { session: 'w', timeout_ms: 20_000 })
  expect(error?.message ?? null, `${command} ${JSON.stringify(args)}`).toBeNull()
  return data
}

type Act = [command: string, args: Record<string, unknown>, app: string, holds: unknown]

const field = (label: string, text: string, key: string, holds = text): Act => [
  'type',
  { target: `role=textbox[name="${label}"]`, text },
  `form.${key}`,
  holds,
]
const labelled = (label: string, text: string, key: string, holds = text): Act => [
  'type',
  { target: `label="${label}"`, text },
  `form.${key}`,
  holds,
]
const button = (name: string, app: string, holds: unknown): Act => [
  'click',
  { target: `role=button[name="${name}"]` },
  app,
  holds,
]

const FORM: Act[] = [
  field('Name', 'Ada Lovelace', 'name'),
  field('Name', '王小明 😀', 'name'),
  ['type', { target: 'label="Name"', text: ' II', replace: false }, 'form.name', '王小明 😀 II'],
  ['clear', { target: 'label="Name"' }, 'form.name', ''],
  field('Email', 'ada@example.com', 'email'),
  labelled('Age', '36', 'age'),
  ['press', { target: 'label="Age"', key: 'ArrowUp' }, 'form.age', '37'],
  field('Notes', 'one\ntwo\n\n四', 'notes'),
  ['check', { target: 'label="Agree"' }, 'form.agree', true],
  ['check', { target: 'label="Agree"', checked: false }, 'form.agree', false],
  ['click', { target: 'label="Agree"' }, 'form.agree', true],
  ['check', { target: 'label="pro"' }, 'form.plan', 'pro'],
  ['press', { target: 'label="pro"', key: 'ArrowDown' }, 'form.plan', 'team'],
  ['select_option', { target: 'label="City"', option: '上海' }, 'form.city', 'shanghai'],
  ['select_option', { target: 'label="City"', option: 'berlin' }, 'form.city', 'berlin'],
  ['press', { target: 'label="City"', key: 'ArrowUp' }, 'form.city', 'shanghai'],
  ['select_option', { target: 'label="Tags"', options: ['red', 'blue'] }, 'form.tags', ['red', 'blue']],
  ['select_option', { target: 'label="Tags"', options: ['green'] }, 'form.tags', ['green']],
  labelled('Volume', '73', 'volume'),
  ['press', { target: 'label="Volume"', key: 'ArrowRight' }, 'form.volume', '74'],
  labelled('Day', '2026-08-21', 'day'),
  labelled('Time', '14:30', 'time'),
  labelled('When', '2026-08-21T14:30', 'when'),
  labelled('Month', '2026-08', 'month'),
  labelled('Week', '2026-W34', 'week'),
  labelled('Day', '1. 9. 2026', 'day', '2026-09-01'),
  labelled('When', '8/31/2026 3:30 PM', 'when', '2026-08-31T15:30'),
  ['type', { target: 'label="When"', text: '2027', part: 'year' }, 'form.when', '2027-08-31T15:30'],
  ['press', { target: 'label="Day"', key: 'ArrowUp' }, 'form.day', '2026-10-01'],
  ['press', { key: '7', hand: 'cdp' }, 'form.day', '2026-07-01'],
  labelled('Colour', '#1e90ff', 'colour'),
  ['click', { target: 'role=switch[name="Dark mode"]' }, 'form.dark', true],
  ['check', { target: 'role=switch[name="Dark mode"]', checked: false }, 'form.dark', false],
  button('Send', 'sent', 1),
  ['press', { target: 'label="Name"', key: 'Enter' }, 'sent', 2],
]

const LIST: Act[] = [
  button('Row 3', 'row', 'Row 3'),
  ['scroll', { target: 'css=#rows', direction: 'down', pages: 10 }, 'row', 'Row 3'],
  button('Row 72', 'row', 'Row 72'),
  ['scroll', { target: 'css=#rows', direction: 'bottom' }, 'row', 'Row 72'],
  button('Row 9999', 'row', 'Row 9999'),
]

const STORY = 'role=textbox[name="Story"]'
const EDITOR: Act[] = [
  ['type', { target: STORY, text: 'new text 新' }, 'story', 'new text 新'],
  ['type', { target: STORY, text: ' and more', replace: false }, 'story', 'new text 新 and more'],
  ['type', { target: STORY, text: 'a\nb\n\n丁' }, 'story', 'a\nb\n\n丁'],
  ['clear', { target: STORY }, 'story', ''],
  ['type', { target: STORY, text: 'by trusted keys', hand: 'cdp' }, 'story', 'by trusted keys'],
]

const CALENDAR: Act[] = [
  ['click', { target: 'role=button[name=/August 21st, 2026/]' }, 'picked.toDateString()', 'Fri Aug 21 2026'],
  ['click', { target: 'role=button[name=/Next Month/]' }, 'picked.toDateString()', 'Fri Aug 21 2026'],
  [
    'click',
    { target: 'role=button[name=/September 9th, 2026/]' },
    'picked.toDateString()',
    'Wed Sep 09 2026',
  ],
]

const LISTS: Act[] = [
  ['select_option', { target: 'role=combobox[name="Fruit"]', option: 'Cherry' }, 'fruit', 'Cherry'],
  ['type', { target: 'role=combobox[name="Fruit"]', text: '苹' }, 'fruit', 'Cherry'],
  ['click', { target: 'role=option[name="苹果"]' }, 'fruit', '苹果'],
  ['select_option', { target: 'role=combobox[name="Size"]', option: 'Large' }, 'size', 'Large'],
  ['click', { target: 'role=combobox[name="Size"]' }, 'size', 'Large'],
  ['type', { target: 'role=combobox[name="Size"]', text: 'ex', keys: true }, 'size', 'Large'],
  ['press', { key: 'Enter' }, 'size', 'Extra large'],
]

const TREE: Act[] = [
  ['click', { target: 'role=treeitem[name=/Documents/]' }, 'file', 'Documents'],
  ['click', { target: 'role=treeitem[name=/CV/]' }, 'file', 'CV.pdf'],
  ['click', { target: 'role=treeitem[name=/Work/]' }, 'file', 'Work'],
  ['click', { target: 'role=treeitem[name=/Plan/]' }, 'file', 'Plan.md'],
  ['click', { target: 'role=treeitem[name=/音乐/]' }, 'open', 'music'],
]

const DIALOGS: Act[] = [
  button('Open layer 1', 'dialogs', 1),
  button('Open layer 2', 'dialogs', 2),
  button('Open layer 3', 'dialogs', 3),
  ['type', { target: 'label="Title"', text: '深层 title' }, 'dialogs', 3],
  button('Save title', 'saved', '深层 title'),
  ['press', { key: 'Escape' }, 'dialogs', 2],
  button('Close layer 2', 'dialogs', 1),
  button('Close layer 1', 'dialogs', 0),
]

const drag = (from: string, to: string, app: string, holds: string, more = {}): Act => [
  'drag',
  { target: `text="${from}"`, to: `text="${to}"`, ...more },
  `${app}`,
  holds,
]

const SORTABLE: Act[] = [
  drag('One', 'Three', 'order', 'Two Three One Four'),
  drag('Four', 'Two', 'order', 'Four Two Three One'),
  drag('Four', 'One', 'order', 'Two Three One Four', { hand: 'cdp' }),
  drag('第一', '第三', 'steps', '第二 第三 第一 第四'),
  drag('第四', '第二', 'steps', '第四 第二 第三 第一'),
  drag('第四', '第一', 'steps', '第二 第三 第一 第四', { hand: 'cdp' }),
]

const chore = (name: string) => `role=button[name="${name}"]`
const carried = (from: string, to: string, app: string, holds: string, more = {}): Act => [
  'drag',
  { target: chore(from), to: chore(to), ...more },
  `${app}.join(' ')`,
  holds,
]
const key = (name: string, key: string, app: string, holds: string, more = {}): Act => [
  'press',
  { target: chore(name), key, ...more },
  `${app}.join(' ')`,
  holds,
]
const BY_KEYS = { hand: 'cdp' }

const DND_KIT: Act[] = [
  carried('Wash', 'Sweep', 'chores', 'Cook Sweep Wash 买菜'),
  carried('买菜', 'Cook', 'chores', '买菜 Cook Sweep Wash'),
  carried('买菜', 'Wash', 'chores', 'Cook Sweep Wash 买菜', { hand: 'cdp' }),
  carried('Bank', 'Baker', 'errands', 'Post Baker Bank'),
  carried('Rest', 'Run', 'plans', 'Read Run Rest'),
  key('Post', 'Space', 'errands', 'Post Baker Bank'),
  key('Post', 'ArrowDown', 'errands', 'Post Baker Bank'),
  key('Post', 'ArrowDown', 'errands', 'Post Baker Bank'),
  key('Post', 'Space', 'errands', 'Baker Bank Post'),
  key('Sweep', 'Space', 'chores', 'Cook Sweep Wash 买菜', BY_KEYS),
  key('Sweep', 'ArrowUp', 'chores', 'Cook Sweep Wash 买菜', BY_KEYS),
  key('Sweep', 'Space', 'chores', 'Sweep Cook Wash 买菜', BY_KEYS),
]

const PARTS = { FORM, LIST, EDITOR, CALENDAR, LISTS, TREE, DIALOGS, SORTABLE, DND_KIT }

test('the script has sixty acts', () => {
  expect(Object.values(PARTS).flat().length).toBeGreaterThanOrEqual(60)
})

test.each(Object.entries(PARTS))('%s does what the acts say, and each is confirmed', async (_, acts) => {
  const wrong: unknown[] = []
  for (const [command, args, app, holds] of acts) {
    const { data, error } = await product.run(`browser.${command}`, args, {
      session: 'w',
      timeout_ms: 20_000,
    })
    const now = await does('evaluate', { expression: `app.${app}` })
    const verdict = (data as { verdict?: string } | null)?.verdict ?? error?.message
    if (verdict !== 'confirmed' || JSON.stringify(now) !== JSON.stringify(holds))
      wrong.push({ command, args, verdict, note: (data as { note?: string } | null)?.note, now, holds })
  }
  expect(wrong).toEqual([])
})

test.each([
  ['SortableJS', 'text="One"', 'text="第二"', 'order'],
  ['SortableJS by the pointer', 'text="第一"', 'text="Two"', 'steps'],
  ['dnd-kit', 'role=button[name="Rest"]', 'text="A list of dnd-kit"', "plans.join(' ')"],
  ['dnd-kit in another list', 'role=button[name="Run"]', 'role=button[name="Bank"]', "plans.join(' ')"],
])('what an item of %s is dropped on and does not take it is not confirmed', async (_, target, to, app) => {
  const { data, error } = await product.run('browser.drag', { target, to }, { session: 'w' })
  expect(error).toBeNull()
  expect(data).toMatchObject({ verdict: 'unconfirmed', note: expect.any(String) })
  const now = String(await does('evaluate', { expression: `app.${app}` }))
  expect(now.split(' ')).toHaveLength(app === 'order' || app === 'steps' ? 4 : 3)
})
