import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { CDPSession, Page } from 'playwright-core'
import type { CallContext, PageAnswer, PageMethod, PageMethods } from '../../extension/page/agent.ts'
import { EXTENSION_KEY } from '../../shared/identity.ts'
import { type Chromium, launchChromium } from './chromium.ts'
import { type PageServer, startPageServer } from './page-server.ts'
import { makeTempDir, type TempDir } from './temp.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

type Params<M extends PageMethod> = PageMethods[M]['params']
type Result<M extends PageMethod> = PageMethods[M]['result']

/** What a test may leave out of a call: targets are none, texts replace, clicks are single. */
type Loose<M extends PageMethod> = Partial<Params<M>>

const DEFAULTS: { [M in PageMethod]: Partial<Params<M>> } = {
  find: {
    text: null,
    regex: null,
    role: null,
    name: null,
    label: null,
    testid: null,
    target: null,
    limit: 20,
  },
  seek: {},
  path: {},
  snapshot: {
    target: null,
    max_tokens: 10_000,
    interactive: false,
    depth: null,
    after: null,
    since: false,
    boxes: false,
    graphics: false,
  },
  click: { count: 1, button: 'left', modifiers: [], position: null },
  type: { target: null, replace: true, submit: false },
  press: { target: null },
  hover: {},
  focus: {},
  check: {},
  select: {},
  scroll: { target: null, direction: null, pages: 1 },
  wait: { target: null, text: null, url: null, gone: false },
  html: { target: null },
  storage: {},
  read: {},
  frame: {},
  upload: { files: [] },
  paste: { target: null, text: null, html: null, files: [] },
  stash: { target: null, at: 0 },
  drag: { to: null, position: null, by: null, grab: null },
  asks: {},
  changes: { max_tokens: 80 },
  prepare: {},
  stays: { instead: 'network' },
  uses: { wanted: {} },
  answer: { policy: null },
  measure: { target: null, reveal: false },
  marks: { seen_only: true },
  frame_box: {},
  through: {},
  metrics: {},
  storage_write: { clear: false, remove: [], set: {} },
  indexeddb: { database: null, store: null, limit: 50, skip: 0 },
}

/** The code of extension/page in the isolated world of a page of a real Chromium, without the extension. */
export interface AgentRig {
  browser: Chromium
  page: Page
  site: PageServer
  /** Loads a page: a file of tests/fixtures/pages, or markup to put into a body. */
  open(fixture: string): Promise<void>
  show(markup: string): Promise<void>
  /** Null when the document went away before it answered. */
  ask<M extends PageMethod>(
    method: M,
    params?: Loose<M>,
    context?: Partial<CallContext>,
  ): Promise<PageAnswer<Result<M>> | null>
  /** Like `ask`, for what is expected to succeed. */
  call<M extends PageMethod>(method: M, params?: Loose<M>, context?: Partial<CallContext>): Promise<Result<M>>
  /** Like `ask`, for what is expected to fail. */
  failure<M extends PageMethod>(
    method: M,
    params?: Loose<M>,
    context?: Partial<CallContext>,
  ): Promise<{ code: string; params: Record<string, unknown> }>
  snapshot(options?: Loose<'snapshot'>): Promise<string>
  /** The ref in the first snapshot line that holds these words. */
  refOf(words: string): Promise<string>
  /** Evaluates in the agent's own world. */
  inWorld<T>(expression: string): Promise<T>
  close(): Promise<void>
}

let bundled: Promise<string> | undefined

/** The agent as one script, as the extension injects it. */
export function agentScript(): Promise<string> {
  bundled ??= build({
    stdin: {
      contents: "import { installAgent } from './extension/page/agent.ts'\ninstallAgent('test')",
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'chrome125',
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? '')
  return bundled
}

export const fixture = (name: string): string =>
  readFileSync(join(root, 'tests', 'fixtures', 'pages', `${name}.html`), 'utf8')

const inBody = (markup: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Test page</title><body>${markup}`

/**
 * @param more further pages of the site, by path
 * @param asExtension puts the agent in as a content script of a small extension, whose world sees closed shadow
 *   roots; else into an isolated world made over the protocol
 */
export async function startAgentRig(
  more: Parameters<typeof startPageServer>[0] = {},
  asExtension = false,
): Promise<AgentRig> {
  let html = ''
  const site = await startPageServer({
    '/page': (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
    ...more,
  })
  const extension = asExtension ? await makeExtension() : null
  const browser = await launchChromium(extension ? { extension: extension.path } : {})
  const page = browser.context.pages()[0] ?? (await browser.context.newPage())
  const world = await openWorld(page, asExtension)
  const load = async (text: string): Promise<void> => {
    html = text
    await page.goto(`${site.url}/page`)
    await world.enter()
  }
  return {
    ...askerOf(world),
    browser,
    page,
    site,
    open: name => load(fixture(name)),
    show: markup => load(inBody(markup)),
    inWorld: expression => world.evaluate(expression),
    close: async () => {
      await browser.close()
      await extension?.remove()
      await site.close()
    },
  }
}

function askerOf(world: World): Pick<AgentRig, 'ask' | 'call' | 'failure' | 'snapshot' | 'refOf'> {
  let calls = 0
  const ask: AgentRig['ask'] = (method, params, context) => {
    const all = { ...DEFAULTS[method], ...params }
    const own = { document: 1, call: `c${++calls}`, deadline: Date.now() + 20_000, ...context }
    const list = [method, all, own].map(value => JSON.stringify(value)).join(', ')
    return world.evaluateOrGone(`globalThis.__unicliPage.call(${list})`)
  }
  const call: AgentRig['call'] = async (method, params, context) => {
    const answer = await ask(method, params, context)
    if (!answer?.ok) throw new Error(`${method} failed: ${JSON.stringify(answer)}`)
    return answer.value
  }
  const snapshot: AgentRig['snapshot'] = async options => (await call('snapshot', options)).text
  return {
    ask,
    call,
    snapshot,
    failure: async (method, params, context) => {
      const answer = await ask(method, params, context)
      if (answer === null || answer.ok) throw new Error(`${method} did not fail: ${JSON.stringify(answer)}`)
      return answer.failure
    },
    refOf: async words => {
      const text = await snapshot()
      const line = text.split('\n').find(each => each.includes(words))
      const ref = /\[(d\d+e\d+)\]/.exec(line?.slice(line.indexOf(words)) ?? '')?.[1]
      if (ref === undefined) throw new Error(`No ref beside "${words}" in:\n${text}`)
      return ref
    },
  }
}

interface World {
  /** Makes the world of the document that is there now, with the agent in it. */
  enter(): Promise<void>
  evaluate<T>(expression: string): Promise<T>
  evaluateOrGone<T>(expression: string): Promise<T | null>
}

const GONE = /context was destroyed|Cannot find context|Promise was collected|Inspected target navigated/

const EXTENSION_NAME = 'Agent under test'

async function makeExtension(): Promise<TempDir> {
  const folder = await makeTempDir()
  const manifest = {
    manifest_version: 3,
    name: EXTENSION_NAME,
    version: '1',
    key: EXTENSION_KEY,
    content_scripts: [{ matches: ['http://127.0.0.1/*'], js: ['agent.js'], run_at: 'document_end' }],
  }
  await writeFile(join(folder.path, 'manifest.json'), JSON.stringify(manifest))
  await writeFile(join(folder.path, 'agent.js'), await agentScript())
  return folder
}

async function openWorld(page: Page, asExtension: boolean): Promise<World> {
  const protocol = await page.context().newCDPSession(page)
  const script = await agentScript()
  let contextId = 0
  let extensionContext = 0
  protocol.on('Runtime.executionContextCreated', ({ context }) => {
    if (context.name === EXTENSION_NAME) extensionContext = context.id
  })
  if (asExtension) await protocol.send('Runtime.enable')
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await protocol.send('Runtime.evaluate', {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  return {
    enter: async () => {
      contextId = asExtension ? extensionContext : await isolatedWorld(protocol)
      if (!asExtension) await evaluate(script)
    },
    evaluate,
    evaluateOrGone: async <T>(expression: string) => {
      try {
        return await evaluate<T>(expression)
      } catch (error) {
        if (error instanceof Error && GONE.test(error.message)) return null
        throw error
      }
    },
  }
}

async function isolatedWorld(protocol: CDPSession): Promise<number> {
  const { frameTree } = await protocol.send('Page.getFrameTree')
  const { executionContextId } = await protocol.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'agent',
  })
  return executionContextId
}
