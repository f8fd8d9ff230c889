import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { type Chromium, launchChromium } from '../support/chromium.ts'
import { findChromium } from '../support/chromium-profile.ts'
import { type HttpRig, startHttpRig, TOKEN } from '../support/http-rig.ts'
import { describeNeeding } from '../support/requirement.ts'
import { operationOf } from '../support/scripted-kernel.ts'

describeNeeding(
  { name: 'Chromium', available: findChromium() !== undefined },
  'the HTTP surface and pages in a browser',
  () => {
    let rig: HttpRig
    let browser: Chromium
    let evil: Server
    let evilUrl: string
    let evilHtml = '<h1>evil</h1>'

    beforeAll(async () => {
      const operation = operationOf('shop.buy', {
        doc: 'Buy a bell.',
        effect: 'write',
        args: z.strictObject({ colour: z.string() }),
        example: { colour: 'red' },
      })
      rig = await startHttpRig([{ operation, run: ({ args }) => `a ${args.colour} bell` }])
      evil = createServer((_, response) => response.setHeader('content-type', 'text/html').end(evilHtml))
      await new Promise<void>(resolve => evil.listen(0, '127.0.0.1', resolve))
      evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`
      browser = await launchChromium()
    })
    beforeEach(() => {
      rig.kernel.invocations.length = 0
    })
    afterAll(async () => {
      await browser?.close()
      await rig?.close()
      evil?.closeAllConnections()
      evil?.close()
    })

    it('shows the operations at /docs to a person who has the token, and calls one from there', async () => {
      const page = await browser.context.newPage()
      const complaints: string[] = []
      page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', error => complaints.push(String(error)))
      await page.goto(`${rig.url}/docs`)
      expect(await page.content()).not.toContain('shop')

      await page.getByLabel('Token').fill('wrong')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByText('That is not the token.').waitFor()
      complaints.length = 0
      await page.getByLabel('Token').fill(TOKEN)
      await page.getByRole('button', { name: 'Show' }).click()
      await page.locator('#operations-tag-shop').click()
      await page.getByText('Buy a bell.').click()
      await page.getByRole('button', { name: 'Try it out' }).click()
      await page.getByRole('button', { name: 'Execute' }).click()

      await page.locator('.live-responses-table', { hasText: 'a red bell' }).waitFor()
      expect(complaints).toEqual([])
      expect(page.url()).not.toContain(TOKEN)
      expect(
        await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]),
      ).toEqual([0, 0, ''])
      await page.close()
    })

    it("lets another site's page neither read nor do anything, even if it knew the token", async () => {
      const page = await browser.context.newPage()
      await page.goto(evilUrl)

      const outcome = await page.evaluate(
        async ({ base, token }) => {
          const attempt = async (path: string, init: RequestInit) => {
            try {
              const answer = await fetch(base + path, init)
              return `${answer.type} ${answer.status}`
            } catch {
              return 'blocked'
            }
          }
          const loads = (tag: 'img' | 'script', path: string) =>
            new Promise<string>(resolve => {
              const element = document.createElement(tag)
              element.onload = () => resolve('loaded')
              element.onerror = () => resolve('blocked')
              element.src = base + path
              document.body.append(element)
            })
          const authorization = `Bearer ${token}`
          const json = { 'content-type': 'application/json', authorization }
          const call = '/v1/operations/shop/buy'
          const body = '{"args":{"colour":"red"}}'
          return {
            read: await attempt('/v1/operations', { headers: { authorization } }),
            call: await attempt(call, { method: 'POST', headers: json, body }),
            plain: await attempt(call, { method: 'POST', mode: 'no-cors', body }),
            docs: await attempt('/docs', {}),
            script: await loads('script', '/docs/page.js'),
            image: await loads('img', '/docs/page.css'),
          }
        },
        { base: rig.url, token: TOKEN },
      )

      expect(outcome).toEqual({
        read: 'blocked',
        call: 'blocked',
        plain: 'blocked',
        docs: 'blocked',
        script: 'blocked',
        image: 'blocked',
      })
      expect(rig.kernel.invocations).toEqual([])
      await page.close()
    })

    it('refuses a form that a page sends', async () => {
      const page = await browser.context.newPage()
      const action = `${rig.url}/v1/operations/shop/buy`
      evilHtml = `<form method="post" enctype="text/plain" action="${action}">
        <input name='{"args":{"colour":"' value='red"}}'><button>Win</button></form>`
      await page.goto(evilUrl)

      const [answer] = await Promise.all([page.waitForResponse(action), page.getByText('Win').click()])

      expect(answer.status()).toBe(403)
      expect(rig.kernel.invocations).toEqual([])
      await page.close()
    })

    it("refuses to be framed by another site's page", async () => {
      const page = await browser.context.newPage()
      evilHtml = `<iframe sandbox src="${rig.url}/docs"></iframe>`

      const [answer] = await Promise.all([page.waitForResponse(`${rig.url}/docs`), page.goto(evilUrl)])

      expect(answer.status()).toBe(403)
      await page.close()
    })
  },
)
