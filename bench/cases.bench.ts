import type { BrowserAgent } from './peers/agent.ts'
import { startCaseSite } from './peers/case-site.ts'
import { CASES, judge } from './peers/cases.ts'
import { agentBrowser, chromeDevtoolsMcp, installPeers, playwrightMcp } from './peers/peers.ts'
import { unicli } from './peers/unicli.ts'

export const title =
  'What comes of hard cases, the page itself being the judge (ms: the act alone; `false success`: said to be done and was not)'

export async function measure() {
  await installPeers()
  const site = await startCaseSite()
  const rows: Record<string, string>[] = CASES.map(({ name, expected }) => ({ case: name, expected }))
  const scores: Record<string, string> = { case: 'right', expected: '' }
  try {
    for (const start of [unicli, playwrightMcp, chromeDevtoolsMcp, agentBrowser]) {
      const agent = await start()
      try {
        scores[agent.name] = await drive(agent)
      } finally {
        await agent.close()
      }
    }
  } finally {
    await site.stop()
  }
  return [...rows, scores]

  async function drive(agent: BrowserAgent): Promise<string> {
    let right = 0
    for (const [at, one] of CASES.entries()) {
      const { outcome, ms } = await judge(agent, site, one)
      const row = rows[at]
      if (row !== undefined) row[agent.name] = outcome === 'no handle' ? outcome : `${outcome} ${ms}`
      if (outcome === 'right') right += 1
    }
    return `${right} of ${CASES.length}`
  }
}
