import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rows, valid } from '../support/envelope-check.ts'
import { logInToNodeRed, type NodeRed, startNodeRed } from '../support/node-red.ts'
import { type Product, startProduct } from '../support/product.ts'

describe('a real Node-RED in a real browser, logged in by its own form', () => {
  let red: NodeRed
  let product: Product

  beforeAll(async () => {
    ;[red, product] = await Promise.all([startNodeRed(), startProduct()])
    expect((await product.cli('config', 'set', 'sites.node-red.base', red.url)).code).toBe(0)
    const browser = await product.browser()
    const page = await browser.context.newPage()
    expect(valid(await product.run('node-red.flows')).error).toMatchObject({
      code: 'csrf_not_found',
      class: 'auth',
    })
    await logInToNodeRed(page, red)
    await page.close()
  })
  afterAll(async () => {
    await product.close()
    await red.stop()
  })

  it("header: finds the bearer in the page's storage and lists the flows", async () => {
    const flows = rows(await product.run('node-red.flows'))
    expect(flows).toMatchObject([{ name: 'Greetings' }])
    expect(flows[0]?.types).toEqual(expect.arrayContaining(['function']))
  })

  it('header: tells who is logged in', async () => {
    expect(await product.run('node-red.login-state')).toMatchObject({ ok: true, data: { user: red.user } })
  })

  it('intercept: takes the list of nodes that the editor loads', async () => {
    const nodes = rows(await product.run('node-red.nodes'))
    expect(nodes.flatMap(row => row.types)).toEqual(expect.arrayContaining(['inject', 'function']))
  })

  it('ui: renames a flow in the editor and deploys it, which the API then shows', async () => {
    const envelope = valid(
      await product.run('node-red.deploy', { flow: 'Greetings', rename: '问候 Welcome' }),
    )
    expect(envelope.error).toBeNull()
    expect(envelope).toMatchObject({
      ok: true,
      data: { deployed: true },
      meta: { strategy: 'ui', effect: 'write' },
    })
    expect(rows(await product.run('node-red.flows'))[0]?.name).toBe('问候 Welcome')
  })

  it('no secret of the person is in any file of the companion', async () => {
    const { spawnProcess } = await import('../support/processes.ts')
    const grep = await spawnProcess('grep', [
      '-rlaE',
      `Bearer [A-Za-z0-9]{20}|${red.password}`,
      product.env.unicliHome,
    ])
    await grep.exited
    expect(grep.stdout()).toBe('')
  })
})
