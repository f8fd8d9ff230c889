import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

/** Everything by which a page could notice that it is being looked at. */
const DETECTOR = `<script>
  window.seen = []
  new MutationObserver(records => seen.push(...records.map(record => record.type)))
    .observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  for (const name of ['focus', 'blur', 'focusin', 'scroll', 'selectionchange', 'pointermove', 'mouseover', 'click', 'message', 'error'])
    addEventListener(name, event => seen.push(event.type), true)
  for (const [owner, names] of [
    [Element.prototype, ['getBoundingClientRect', 'getAttribute', 'attachShadow', 'setAttribute', 'checkVisibility']],
    [Node.prototype, ['appendChild', 'insertBefore']],
    [EventTarget.prototype, ['addEventListener', 'dispatchEvent']],
    [Document.prototype, ['createElement', 'querySelectorAll', 'elementFromPoint']],
    [window, ['getComputedStyle', 'MutationObserver', 'requestAnimationFrame', 'postMessage']],
  ]) for (const name of names) {
    const original = owner[name]
    owner[name] = function (...rest) { seen.push(name); return new.target ? new original(...rest) : original.apply(this, rest) }
  }
  window.names = ''
  window.names = Object.getOwnPropertyNames(window).concat(Object.getOwnPropertyNames(document)).join()
</script>`

const traces = () =>
  rig.page.evaluate(() => {
    const page = globalThis as unknown as { seen: string[]; names: string }
    const names = Object.getOwnPropertyNames(window).concat(Object.getOwnPropertyNames(document)).join()
    return {
      seen: page.seen.slice(),
      sameNames: names === page.names,
      html: document.documentElement.outerHTML,
    }
  })

/** More by which it could: what of itself and of its elements is new, the stacks of errors, getters, new roots. */
const WATCHER = `<script>
  for (const [owner, names] of [
    [Element.prototype, ['querySelector', 'querySelectorAll', 'matches', 'closest', 'scrollIntoView', 'removeAttribute', 'getClientRects', 'animate']],
    [HTMLElement.prototype, ['focus', 'click', 'blur']],
    [Node.prototype, ['cloneNode', 'contains', 'compareDocumentPosition', 'getRootNode']],
    [Document.prototype, ['createTreeWalker', 'evaluate', 'getElementById', 'createRange', 'execCommand']],
    [EventTarget.prototype, ['removeEventListener']],
    [Object, ['defineProperty', 'assign']],
    [window, ['WeakRef', 'WeakMap', 'Proxy', 'setTimeout', 'fetch', 'MessageChannel', 'IntersectionObserver', 'ResizeObserver']],
  ]) for (const name of names) {
    const original = owner[name]
    if (typeof original !== 'function') continue
    Object.getOwnPropertyDescriptor(owner, name).writable && (owner[name] = function (...rest) {
      seen.push(name + ' at ' + String(new Error().stack).split('\\n')[2])
      return new.target ? Reflect.construct(original, rest) : original.apply(this, rest)
    })
  }
  for (const [owner, name] of [[Element.prototype, 'shadowRoot'], [Node.prototype, 'textContent'], [Node.prototype, 'childNodes'], [Element.prototype, 'attributes'], [HTMLElement.prototype, 'innerText']]) {
    const { get, set, ...rest } = Reflect.getOwnPropertyDescriptor(owner, name)
    Reflect.defineProperty(owner, name, { ...rest, set, get() { seen.push(name); return get.call(this) } })
  }
  Error.prepareStackTrace = (error, frames) => {
    if (frames.some(frame => String(frame.getFileName()).startsWith('chrome-extension:'))) seen.push('extension in a stack')
    return String(error.stack)
  }
  window.owned = () => [window, document, document.documentElement, document.body, ...document.querySelectorAll('body *'),
    ...[Window, Document, Element, HTMLElement, Node, EventTarget, Event].map(each => each.prototype), history, navigator, performance]
    .map(each => Reflect.ownKeys(each).map(String).join()).join('|')
</script>`

const owned = () => rig.page.evaluate(() => (globalThis as unknown as { owned: () => string }).owned())

/** Lets go of what came while the page was read in; gives what everything owns now. */
async function watched(): Promise<string> {
  const own = await owned()
  await rig.page.evaluate(() => {
    ;(globalThis as unknown as { seen: string[] }).seen.length = 0
  })
  return own
}

describe('a page that watches all of itself', () => {
  test('sees of snapshots, of what is different, of finding and of refs nothing at all', async () => {
    await rig.show(
      `<main><h1>Quiet</h1><button data-testid=far>Far</button><input placeholder=Name><ul><li>One</li><li>Two</li></ul></main>${DETECTOR}${WATCHER}`,
    )
    const before = await watched()
    const text = await rig.snapshot()
    await rig.call('snapshot', { max_tokens: 100, interactive: null })
    await rig.snapshot({ since: true })
    await rig.snapshot({ depth: 1 })
    for (const query of [
      { role: 'button' },
      { text: 'One' },
      { regex: '^T.o$' },
      { testid: 'far' },
      { label: 'Name' },
    ])
      await rig.call('find', query)
    for (const target of [
      'placeholder=Name',
      'css=ul >> text=Two',
      'data-testid=far',
      /\[(d1e\d+)\]/.exec(text)?.[1] ?? '',
    ])
      await rig.call('read', { target })
    await rig.ask('read', { target: 'css=li' }, { deadline: Date.now() + 300 })
    const { seen } = await traces()
    expect(seen).toEqual([])
    expect(await owned()).toBe(before)
  })

  test('sees of a click only the click', async () => {
    await rig.show(`<main><button>Press</button><p>Text</p></main>${DETECTOR}${WATCHER}`)
    const before = await watched()
    await rig.call('click', { target: 'text=Press' })
    const { seen, html } = await traces()
    const expected = /^(pointer|mouse|focus|click|scroll)/
    expect(seen.filter(each => !expected.test(each))).toEqual([])
    expect(html).not.toMatch(/unicli|data-ref/)
    expect(await owned()).toBe(before)
  })
})

describe('a page notices nothing', () => {
  test('of snapshots, of reading and of looking for elements', async () => {
    await rig.show(
      `<main style="height:3000px"><h1>Quiet</h1><button style="margin-top:2500px">Far</button><input value=x></main>${DETECTOR}`,
    )
    const before = await traces()
    const text = await rig.snapshot()
    await rig.snapshot({ interactive: true })
    await rig.call('read', { target: /\[(d1e\d+)\]/.exec(text)?.[1] ?? '' })
    for (const target of [
      'text=Far',
      'role=button[name="Far"]',
      'label=none',
      'css=main > button',
      'xpath=//button',
    ]) {
      await rig.ask('read', { target }, { deadline: Date.now() + 300 })
    }
    await rig.call('html')
    await rig.call('storage')
    await rig.call('wait', { text: 'Quiet' })
    const after = await traces()
    expect(before.seen).toEqual([])
    expect(after).toEqual({ seen: [], sameNames: true, html: before.html })
  })

  test('of the agent itself, which is installed once', async () => {
    await rig.show('<button>x</button>')
    expect(await rig.page.evaluate(() => '__unicliPage' in globalThis)).toBe(false)
    const enumerable = await rig.inWorld('Object.keys(globalThis).includes("__unicliPage")')
    expect(enumerable).toBe(false)
  })
})

const ROWS = 1000
const LARGE = `<div id=app></div><script>
  let html = ''
  for (let i = 0; i < ${ROWS}; i += 1) {
    html += '<div class=row><div><span>Item ' + i + '</span> <b>bold</b></div><a href="/i/' + i + '">Open ' + i + '</a>'
      + '<div><button>Buy ' + i + '</button><i></i><u></u></div><p>Some <em>text</em> for ' + i + '</p><ul><li>one</li><li>two</li></ul></div>'
  }
  app.innerHTML = html
</script>`

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds of processor time; what other programs take is not in it. */
  tdur?: number
  args: { name?: string }
}

/** The processor time, in milliseconds, of every task that the main threads of all pages ran meanwhile. */
async function tasksDuring(act: () => Promise<void>): Promise<number[]> {
  const protocol = await rig.page.context().newCDPSession(rig.page)
  const events: TraceEvent[] = []
  protocol.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await protocol.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] },
  })
  await act()
  const complete = new Promise(resolve => protocol.once('Tracing.tracingComplete', resolve))
  await protocol.send('Tracing.end')
  await complete
  await protocol.detach()
  const mains = new Set(
    events
      .filter(event => event.name === 'thread_name' && event.args.name === 'CrRendererMain')
      .map(event => `${event.pid} ${event.tid}`),
  )
  return events
    .filter(event => /RunTask$/.test(event.name) && mains.has(`${event.pid} ${event.tid}`))
    .map(event => (event.tdur ?? 0) / 1000)
}

describe('a page of 14,000 nodes', () => {
  test('is never held for 50 ms, and is read whole in less than 3 s', async () => {
    await rig.show(LARGE)
    expect(await rig.page.evaluate(() => document.querySelectorAll('*').length)).toBeGreaterThan(14_000)
    const tasks = await tasksDuring(async () => {
      const { text, refs } = await rig.call('snapshot', { max_tokens: 1_000_000 })
      expect(refs).toBe(2 * ROWS)
      expect(text).toContain('button "Buy 999" [')
    })
    const worked = tasks.reduce((sum, task) => sum + task, 0)
    expect(tasks.length).toBeGreaterThan(10)
    expect(worked).toBeGreaterThan(10)
    expect(Math.max(...tasks)).toBeLessThan(50)
    expect(worked).toBeLessThan(3000)
  })
})
