import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { startFixtureSite } from '../tests/support/fixture-site.ts'
import { type CliRun, type Product, startProduct } from '../tests/support/product.ts'

/** What `npm start` shows: one operation for each strategy, in a browser where somebody is logged in. */
const STEPS: readonly { says: string; command: readonly string[] }[] = [
  { says: 'public: as anybody', command: ['demo', 'items', '--limit', '3'] },
  { says: 'cookie: as the person who is logged in', command: ['demo', 'me'] },
  { says: 'header: a write, with the token found by itself', command: ['demo', 'add-note', '买茶 Buy tea'] },
  { says: "intercept: the page's own JSON", command: ['demo', 'feed'] },
  { says: 'ui: typed and clicked in the page', command: ['demo', 'write-note', '写信 Write a letter'] },
]

export interface DemoOptions {
  /** The repository. */
  root: string
  /** Leave site, browser and companion running until Ctrl-C. */
  keep: boolean
}

/** Runs the demonstration; resolves with the exit code. Leaves nothing running. */
export async function runDemo({ root, keep }: DemoOptions): Promise<number> {
  const site = await startFixtureSite()
  const product = await startProduct()
  try {
    await cp(join(root, 'demo', 'adapters'), join(product.env.unicliHome, 'adapters'), { recursive: true })
    await must(product.cli('config', 'set', 'sites.demo.base', site.url))
    say(`A demo site runs at ${site.url}, a companion in ${product.env.unicliHome}.`)
    say('A browser with the extension starts, and somebody logs in …')
    const browser = await product.browser()
    const page = await browser.context.newPage()
    await page.goto(`${site.url}/login`)
    await page.locator('input[name=user]').pressSequentially(site.user)
    await page.locator('input[name=password]').pressSequentially(site.password)
    await page.locator('form button[type=submit]').click()
    await page.waitForURL(`${site.url}/`)
    const failed = await showAll(product)
    if (keep) await untilStopped(product)
    return failed === 0 ? 0 : 1
  } finally {
    await product.close()
    await site.stop()
  }
}

async function showAll(product: Product): Promise<number> {
  let failed = 0
  for (const { says, command } of STEPS) {
    console.log(`\n── ${says}\n$ unicli ${command.map(quoted).join(' ')}`)
    const run = await product.cli(...command, '-f', 'table')
    process.stdout.write(run.stdout)
    process.stderr.write(run.stderr)
    if (run.code !== 0) failed++
  }
  say(failed === 0 ? 'All five strategies answered.' : `${failed} of ${STEPS.length} failed.`)
  return failed
}

async function untilStopped(product: Product): Promise<void> {
  say(
    `Still running. In another terminal: UNICLI_HOME=${product.env.unicliHome} node dist/bin/unicli.cjs list`,
  )
  say('Ctrl-C ends everything.')
  await new Promise<void>(resolve => {
    const alive = setInterval(() => undefined, 60_000)
    process.once('SIGINT', () => {
      clearInterval(alive)
      resolve()
    })
  })
}

async function must(run: Promise<CliRun>): Promise<void> {
  const { code, stderr, stdout } = await run
  if (code !== 0) throw new Error(`${stderr}${stdout}`)
}

const say = (text: string): void => console.log(`\n${text}`)
const quoted = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word}'`)
