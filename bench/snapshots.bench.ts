import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { fixture } from '../tests/support/page-agent.ts'
import { startPageServer } from '../tests/support/page-server.ts'
import type { BrowserAgent } from './peers/agent.ts'
import { agentBrowser, chromeDevtoolsMcp, installPeers, playwrightMcp } from './peers/peers.ts'
import { unicli } from './peers/unicli.ts'

export const title = 'Tokens (o200k) of a full snapshot over MCP, and ms until it is there'

const PAGES = ['form', 'table-200', 'feed-60']

export async function measure() {
  await installPeers()
  const site = await startPageServer(Object.fromEntries(PAGES.map(page => [`/${page}`, fixture(page)])))
  const rows: Record<string, string>[] = PAGES.map(page => ({ page }))
  try {
    for (const start of [unicli, playwrightMcp, chromeDevtoolsMcp, agentBrowser]) {
      const agent = await start()
      try {
        for (const [at, page] of PAGES.entries()) {
          await agent.open(`${site.url}/${page}`)
          const { text, ms } = await whole(agent)
          const row = rows[at]
          if (row !== undefined) row[agent.name] = `${encode(text).length} in ${Math.round(ms)} ms`
        }
      } finally {
        await agent.close()
      }
    }
  } finally {
    await site.close()
  }
  return rows
}

/** Only ours has a budget, which has to be large enough for all. */
const whole = (agent: BrowserAgent) =>
  agent.name === 'unicli'
    ? agent.call('browser_snapshot', { max_tokens: 100_000, interactive: false })
    : agent.snapshot()
