import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

let product: Product
let site: PageServer
let browser: OwnBrowser

beforeAll(async () => {
  const page = (title: string, body: string) => `<!doctype html><title>${title}</title>${body}`
  site = await startPageServer({
    '/one': page('One', '<button>One</button>'),
    '/two': page('Two', '<button>Two</button>'),
    '/three': page('三', '<button>三</button>'),
  })
  product = await startProduct()
  browser = await startOwnBrowser(product, 'sessions')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

const TIMEOUT_MS = 20_000

/** Runs an operation of the browser and gives its data. @param where `work`, or `work/t2` for one tab of it */
async function does<T = unknown>(
  where: string,
  command: string,
  args: Record<string, unknown> = {},
): Promise<T> {
  const { data, error } = await asked(where, command, args)
  expect(error).toBeNull()
  return data as T
}

function asked(where: string, command: string, args: Record<string, unknown> = {}) {
  const [session, tab] = where.split('/')
  return product.run(`browser.${command}`, args, { session, tab, timeout_ms: TIMEOUT_MS })
}

const title = (where: string): Promise<unknown> => does(where, 'evaluate', { expression: 'document.title' })

describe('a session of several tabs', () => {
  test('acts on its current tab, and on another one where that is named', async () => {
    expect(await does('many', 'navigate', { url: `${site.url}/one` })).toMatchObject({ tab: 't1' })
    expect(await does('many', 'tab_new', { url: `${site.url}/two` })).toMatchObject({
      tab: 't2',
      title: 'Two',
      current: true,
    })
    expect(await title('many')).toBe('Two')
    expect(await title('many/t1')).toBe('One')
    expect(await does('many/t1', 'snapshot')).toMatchObject({ title: 'One' })
    expect(await does('many/t1', 'click', { target: 'role=button' })).toMatchObject({ title: 'One' })
    expect(await does('many', 'tabs')).toEqual([
      { tab: 't1', session: 'many', url: `${site.url}/one`, title: 'One' },
      { tab: 't2', session: 'many', url: `${site.url}/two`, title: 'Two', current: true },
    ])
  })

  test('is told with --tab on the command line which one is meant', async () => {
    const { stdout } = await product.cli(
      ...['browser', 'evaluate', 'document.title', '--session', 'many', '--tab', 't1', '-f', 'json'],
    )
    expect(JSON.parse(stdout)).toMatchObject({ data: 'One' })
  })

  test('takes another tab for its current one, by argument or by option', async () => {
    expect(await does('many', 'tab_select', { tab: 't1' })).toMatchObject({ tab: 't1', current: true })
    expect(await title('many')).toBe('One')
    expect(await does('many/t2', 'tab_select')).toMatchObject({ tab: 't2' })
    expect(await title('many')).toBe('Two')
  })

  test('closes one tab and never gives its id again', async () => {
    expect(await does('many', 'close', { tab: 't2' })).toEqual({ closed: 1 })
    expect(await title('many')).toBe('One')
    expect(await does('many', 'tab_new', { url: `${site.url}/three` })).toMatchObject({
      tab: 't3',
      title: '三',
    })
    const gone = await asked('many/t2', 'snapshot')
    expect(gone.error).toMatchObject({ code: 'tab_gone', message: expect.stringContaining('many/t2') })
  })

  test('knows nothing of the tabs of another session', async () => {
    await does('other', 'navigate', { url: `${site.url}/two` })
    expect((await asked('other/t3', 'snapshot')).error).toMatchObject({ code: 'tab_gone' })
    expect((await asked('other/t3', 'close')).error).toMatchObject({ code: 'tab_gone' })
    expect(await does('other', 'tabs')).toMatchObject([{ tab: 't1', title: 'Two' }])
    expect(await does('many', 'tabs')).toMatchObject([{ tab: 't1' }, { tab: 't3' }])
  })

  test('is not named as if it were a tab', async () => {
    const { error } = await product.run('browser.tabs', {}, { session: 'many/t2' })
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('tab') })
  })
})
