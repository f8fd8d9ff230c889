import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer, BrowserAgent } from './agent.ts'
import type { CaseSite } from './case-site.ts'

/** What should come of a case, and how to tell whether it did. */
export interface Case {
  name: string
  /** `done`: it has to happen and be answered so. `refused`: it must not happen, and the answer has to name why. */
  expected: 'done' | 'refused'
  /** Brings the page into place and acts; null where the tool does not show the element. */
  act(agent: BrowserAgent, site: CaseSite): Promise<Answer | null>
  /** Whether what the page said means that it happened. */
  happened(said: readonly string[]): boolean
  /** What a refusal, or an answer, has to name. */
  names?: RegExp
}

export type Outcome = 'right' | 'no handle' | 'false success' | 'no reason' | 'gave up' | 'did it' | 'unsaid'

/** Opens the page and acts on the element of this role and name that the tool's snapshot shows. */
const onElement =
  (
    path: string,
    role: string,
    name: string,
    act: (agent: BrowserAgent, handle: string, site: CaseSite) => Promise<Answer | null>,
  ): Case['act'] =>
  async (agent, site) => {
    await agent.open(site.url(path))
    const handle = agent.find((await agent.snapshot()).text, role, name)
    return handle === null ? null : await act(agent, handle, site)
  }

const clickGo = (path: string): Case['act'] =>
  onElement(path, 'button', 'Go', (agent, handle) => agent.click(handle))

const clicked = (said: readonly string[]): boolean => said.includes('clicked')
const orderAndWait = async (site: CaseSite, answer: string): Promise<void> => {
  site.order('now')
  await site.said(said => said.includes(answer), 3000)
}

/** Asks the page what it has, after the act. */
const withValue =
  (act: (agent: BrowserAgent, handle: string) => Promise<Answer>) =>
  async (agent: BrowserAgent, handle: string, site: CaseSite): Promise<Answer> => {
    const answer = await act(agent, handle)
    site.order('tell')
    await site.said(said => said.some(one => one.startsWith('value=')), 3000)
    return answer
  }

export const CASES: readonly Case[] = [
  { name: 'plain', expected: 'done', act: clickGo('plain'), happened: clicked },
  { name: 'covered', expected: 'refused', act: clickGo('covered'), happened: clicked, names: /shield/i },
  { name: 'cover that goes away', expected: 'done', act: clickGo('overlay'), happened: clicked },
  { name: 'disabled, then enabled', expected: 'done', act: clickGo('disabled'), happened: clicked },
  {
    name: 'disabled for good',
    expected: 'refused',
    act: clickGo('never-enabled'),
    happened: clicked,
    names: /disabled|enabled/i,
  },
  { name: 'moving', expected: 'done', act: clickGo('moving'), happened: clicked },
  {
    name: 're-rendered after the snapshot',
    expected: 'done',
    act: onElement('rerendered', 'button', 'Go', async (agent, handle, site) => {
      await orderAndWait(site, 'rerendered')
      return await agent.click(handle)
    }),
    happened: clicked,
  },
  { name: 're-rendered at each frame', expected: 'done', act: clickGo('restless'), happened: clicked },
  {
    name: 'readonly field',
    expected: 'refused',
    act: onElement(
      'readonly',
      'textbox',
      'Code',
      withValue((agent, handle) => agent.fill(handle, 'new')),
    ),
    happened: said => !said.includes('value=old'),
    names: /read-?only|editable/i,
  },
  {
    name: 'contenteditable old → new',
    expected: 'done',
    act: onElement(
      'editable',
      'textbox',
      'Note',
      withValue((agent, handle) => agent.fill(handle, 'new 新')),
    ),
    happened: said => said.includes('value=new 新'),
  },
  {
    name: 'confirm()',
    expected: 'done',
    act: onElement('confirm', 'button', 'Go', async (agent, handle, site) => {
      const answer = await agent.click(handle)
      await agent.settleDialog()
      await site.said(said => said.length > 1, 3000)
      return answer
    }),
    happened: said => said.includes('yes') || said.includes('no'),
    names: /Delete all files/,
  },
  {
    name: 'HTML5 drag and drop',
    expected: 'done',
    act: async (agent, site) => {
      await agent.open(site.url('drag'))
      const { text } = await agent.snapshot()
      const [card, bin] = [agent.find(text, 'button', 'Card'), agent.find(text, 'button', 'Bin')]
      return card === null || bin === null ? null : await agent.drag(card, bin)
    },
    happened: said => said.includes('dropped the card'),
  },
  {
    name: 'upload',
    expected: 'done',
    act: onElement('upload', 'button', 'File', async (agent, handle) => await uploaded(agent, handle)),
    happened: said => said.includes('report 报告.txt 12'),
  },
  { name: 'closed shadow root', expected: 'done', act: clickGo('closed'), happened: clicked },
  { name: 'frame in a frame, three sites', expected: 'done', act: clickGo('frames'), happened: clicked },
  {
    name: 'frame that is gone',
    expected: 'refused',
    act: onElement('detached', 'button', 'Go', async (agent, handle, site) => {
      await orderAndWait(site, 'detached')
      return await agent.click(handle)
    }),
    happened: clicked,
    names: /gone|not found|no longer|detached|no element|stale|does not exist|unknown ref/i,
  },
  {
    name: 'controlled input',
    expected: 'done',
    act: onElement(
      'controlled',
      'textbox',
      'Name',
      withValue((agent, handle) => agent.fill(handle, 'Ada 王')),
    ),
    happened: said => said.includes('value=Ada 王 state=Ada 王'),
  },
  {
    name: 'custom combobox, in one call',
    expected: 'done',
    act: onElement('combobox', 'combobox', 'Colour', (agent, handle) => agent.select(handle, 'Blue')),
    happened: said => said.includes('chose Blue'),
  },
  {
    name: 'hidden tab',
    expected: 'done',
    act: async (agent, site) => {
      await agent.open(site.url('plain'))
      await agent.behind()
      const handle = agent.find((await agent.snapshot()).text, 'button', 'Go')
      return handle === null ? null : await agent.click(handle)
    },
    happened: clicked,
  },
  {
    name: 'slow navigation',
    expected: 'done',
    act: onElement('link', 'link', 'Go', async (agent, handle, site) => {
      const answer = await agent.click(handle)
      const shown = await agent.snapshot()
      if (shown.text.includes('Arrived')) await fetch(site.url('said'), { method: 'POST', body: 'seen' })
      return answer
    }),
    happened: said => said.includes('seen'),
  },
  {
    name: 'old ref on another page',
    expected: 'refused',
    act: onElement('left', 'button', 'Go', async (agent, handle, site) => {
      await agent.open(site.url('other'))
      return await agent.click(handle)
    }),
    happened: said => said.includes('wrong'),
    names: /gone|not found|no longer|no element|stale|does not exist|unknown ref|snapshot/i,
  },
  {
    name: 'nothing happens',
    expected: 'refused',
    act: clickGo('dead'),
    happened: () => false,
    names: /unconfirmed/,
  },
  {
    name: 'leaving a draft (beforeunload)',
    expected: 'done',
    act: onElement('dirty', 'textbox', 'Draft', async (agent, handle, site) => {
      await agent.fill(handle, 'unsaved')
      const answer = await agent.open(site.url('left'))
      await agent.settleDialog()
      const shown = await agent.snapshot()
      if (/Go|Draft/.test(shown.text)) await fetch(site.url('said'), { method: 'POST', body: 'alive' })
      return answer
    }),
    happened: said => said.includes('alive'),
  },
]

async function uploaded(agent: BrowserAgent, handle: string): Promise<Answer> {
  const folder = await mkdtemp(join(agent.files ?? tmpdir(), 'bench-upload-'))
  try {
    const path = join(folder, 'report 报告.txt')
    await writeFile(path, 'twelve bytes')
    return await agent.upload(handle, path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Until the page has said it, or this long. */
const SAY_MS = 1200

/** Drives one case and says what came of it, with the time of the act itself. */
export async function judge(
  agent: BrowserAgent,
  site: CaseSite,
  one: Case,
): Promise<{ outcome: Outcome; ms: number }> {
  site.forget()
  const answer = await one.act(agent, site)
  if (answer === null) return { outcome: 'no handle', ms: 0 }
  const said = await site.said(all => one.expected === 'done' && one.happened(all), SAY_MS)
  return { outcome: outcomeOf(one, answer, one.happened(said)), ms: Math.round(answer.ms) }
}

function outcomeOf({ expected, names }: Case, { isError, text }: Answer, happened: boolean): Outcome {
  const claimed = !isError && !/^unconfirmed|"verdict":\s*"(unconfirmed|failed)"/.test(text)
  if (expected === 'refused') {
    if (happened) return 'did it'
    if (claimed) return 'false success'
    return names === undefined || names.test(text) ? 'right' : 'no reason'
  }
  if (!happened) return claimed ? 'false success' : 'gave up'
  if (!claimed) return 'unsaid'
  return names === undefined || names.test(text) ? 'right' : 'no reason'
}
