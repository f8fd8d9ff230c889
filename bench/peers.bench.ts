import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import type { Answer, BrowserAgent } from './peers/agent.ts'
import { type CaseSite, startCaseSite } from './peers/case-site.ts'
import { agentBrowser, chromeDevtoolsMcp, installPeers, playwrightMcp } from './peers/peers.ts'
import { unicli } from './peers/unicli.ts'
import { p50 } from './sampling.ts'

export const title =
  'Beside peers, over MCP, one after the other on the same pages (ratio: unicli to the best peer; less is better)'

/** What is measured of each tool, in this order. */
type Figures = Record<string, number>

export async function measure() {
  await installPeers()
  const site = await startCaseSite()
  const all: [name: string, figures: Figures][] = []
  try {
    for (const start of [unicli, playwrightMcp, chromeDevtoolsMcp, agentBrowser]) {
      const agent = await start()
      try {
        all.push([agent.name, await figuresOf(agent, site)])
      } finally {
        await agent.close()
      }
    }
  } finally {
    await site.stop()
  }
  return table(all)
}

function table(all: readonly [string, Figures][]): Record<string, string | number>[] {
  const [[, own] = ['', {}], ...peers] = all
  return Object.keys(own).map(what => {
    const best = Math.min(
      ...peers.map(([, figures]) => figures[what] ?? Number.NaN).filter(n => !Number.isNaN(n)),
    )
    const shown = all.map(([name, figures]) => [name, Math.round(figures[what] ?? Number.NaN)])
    return { what, ...Object.fromEntries(shown), ratio: (own[what] ?? Number.NaN) / best }
  })
}

const tokens = ({ text }: Answer): number => encode(text).length

async function figuresOf(agent: BrowserAgent, site: CaseSite): Promise<Figures> {
  const figures: Figures = {}
  for (const page of ['form', 'table-200', 'feed-60']) {
    await agent.open(site.url(`fixture/${page}`))
    figures[`tokens: snapshot of ${page}`] = tokens(await agent.snapshot())
  }
  for (const count of [1000, 14_000]) {
    await agent.open(site.url(`nodes/${count}`))
    const took: number[] = []
    for (let round = -WARM_SNAPSHOTS; round < 5; round++) {
      const { ms } = await agent.snapshot()
      if (round >= 0) took.push(ms)
    }
    figures[`ms: snapshot of ${count} nodes`] = p50(took)
  }
  const clicks = await clicksOf(agent, site)
  figures['ms: click'] = p50(clicks.map(({ ms }) => ms))
  figures['tokens: answer to a click'] = p50(clicks.map(tokens))
  const steps = await script(agent, site)
  figures['ms: script of 100 steps'] = steps.reduce((sum, { ms }) => sum + ms, 0)
  figures['tokens: answer to a step'] = p50(steps.map(tokens))
  return figures
}

/** What has run for a while is what people have: of every tool the first few are not counted. */
const WARM_SNAPSHOTS = 1
const WARM_CLICKS = 20
const CLICKS = 40

async function clicksOf(agent: BrowserAgent, site: CaseSite): Promise<Answer[]> {
  await agent.open(site.url('counter'))
  const handle = handleIn((await agent.snapshot()).text, agent, 'button', 'Count')
  const answers: Answer[] = []
  const all = WARM_CLICKS + CLICKS
  for (let at = 0; at < all; at++) answers.push(await agent.click(handle))
  const last = `count ${all}`
  const said = await site.said(texts => texts.includes(last), 2000)
  if (!said.includes(last)) throw new Error(`${agent.name}: of ${all} clicks not all arrived`)
  site.forget()
  return answers.slice(WARM_CLICKS)
}

/** Writes, chooses, ticks and clicks, time and again; the page counts what arrives. */
async function script(agent: BrowserAgent, site: CaseSite): Promise<Answer[]> {
  await agent.open(site.url('counter'))
  const { text } = await agent.snapshot()
  const [field, list, count, more] = [
    handleIn(text, agent, 'textbox', 'Name'),
    handleIn(text, agent, 'combobox', 'Colour'),
    handleIn(text, agent, 'button', 'Count'),
    handleIn(text, agent, 'button', 'More'),
  ]
  const answers: Answer[] = []
  for (let round = 0; round < 25; round++) {
    answers.push(await agent.fill(field, `名前 ${round}`))
    answers.push(await agent.select(list, round % 2 === 0 ? 'Blue' : 'Red'))
    answers.push(await agent.click(count))
    answers.push(await agent.click(more))
  }
  const failed = answers.filter(({ isError }) => isError)
  if (failed.length > 0) throw new Error(`${agent.name}: ${failed.length} steps failed: ${failed[0]?.text}`)
  return answers
}

function handleIn(text: string, agent: BrowserAgent, role: string, name: string): string {
  const handle = agent.find(text, role, name)
  if (handle === null) throw new Error(`${agent.name} shows no ${role} "${name}"`)
  return handle
}
