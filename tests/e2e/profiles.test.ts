import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, cliAgent, httpAgent, mcpHttpAgent, mcpStdioAgent } from '../support/agents.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { addAdapters } from '../support/overlay.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { waitFor } from '../support/processes.ts'
import { type Product, startProduct } from '../support/product.ts'

const TURNS = 5
/** Of one turn: a script in the page, a request with the cookies, and the cookies themselves, in either browser. */
const OPERATIONS = 6

/** A browser profile with a login of its own, which only its cookies tell from the other's. */
interface Person {
  browser: OwnBrowser
  /** What the site gave this login. */
  session: string
}

let product: Product
let site: FixtureSite
let work: Person
let home: Person
let agents: Agent[]

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startFixtureSite()])
  await addAdapters(product, 'probe', {
    echo: `base: ${site.url}
description: Tell what the site was sent.
type: web-api
strategy: cookie
effect: read
args: { nonce: { type: string, required: true } }
pipeline: [{ fetch: { url: /api/echo, query: { nonce: "\${{ args.nonce }}" } } }]
`,
  })
  work = await logIn(await startOwnBrowser(product, 'work'))
  home = await logIn(await startOwnBrowser(product, 'home'))
  agents = await Promise.all([
    cliAgent(product, 'cli-1'),
    cliAgent(product, 'cli-2'),
    cliAgent(product, 'cli-3'),
    httpAgent(product, 'http-1'),
    httpAgent(product, 'http-2'),
    mcpHttpAgent(product, 'mcp-http'),
    mcpStdioAgent(product, 'mcp-stdio-1'),
    mcpStdioAgent(product, 'mcp-stdio-2'),
  ])
})
afterAll(async () => {
  await Promise.all((agents ?? []).map(agent => agent.close()))
  await Promise.all([work, home].map(person => person?.browser.close()))
  await product?.close()
  await site?.stop()
})

/** In the page, as a person does. */
async function logIn(browser: OwnBrowser): Promise<Person> {
  const options = { profile: browser.profile.id, session: 'login' }
  const does = async (operation: string, args: Record<string, unknown>) => {
    const { error, data } = await product.run(operation, args, options)
    expect(error).toBeNull()
    return data
  }
  await does('browser.navigate', { url: `${site.url}/login` })
  await does('browser.type', { target: 'css=input[name=user]', text: site.user })
  await does('browser.type', { target: 'css=input[name=password]', text: site.password, submit: true })
  await does('browser.wait', { target: 'css=#new-note' })
  const cookies = await does('browser.cookies', { url: site.url, names: ['demo_session'], values: true })
  const [{ value }] = cookies as [{ value: string }]
  return { browser, session: value }
}

interface Expected {
  agent: string
  person: Person
  nonce: string
}

/** What one agent does in one browser, in a tab of its own; each answer must be the one to this very question. */
async function turn(agent: Agent, person: Person, count: number): Promise<number> {
  const { profile } = person.browser
  const nonce = `${agent.name}-${profile.id.slice(0, 8)}-${count}`
  const expected = { agent: agent.name, person, nonce }
  // By its name and by its id in turn.
  const options = { profile: count % 2 === 0 ? profile.id : profile.name, session: agent.name }
  const script = `[location.search, '${nonce}', document.cookie.length]`
  const answers = [
    await agent.run('browser.evaluate', { expression: script }, options),
    await agent.run('probe.echo', { nonce }, options),
    await agent.run('browser.cookies', { url: site.url, names: ['demo_session'], values: true }, options),
  ]
  for (const { error, meta } of answers) {
    expect(error).toBeNull()
    expect([meta.profile, meta.session]).toEqual([profile.name, agent.name])
  }
  const [evaluated, echoed, cookies] = answers
  expectInPage(evaluated?.data, expected)
  expectFromSite(echoed?.data, expected)
  expect(cookies?.data).toMatchObject([{ name: 'demo_session', value: person.session }])
  return answers.length
}

const place = ({ agent, person }: Omit<Expected, 'nonce'>): string =>
  `?agent=${agent}&profile=${person.browser.profile.id}`

function expectInPage(data: unknown, expected: Expected): void {
  expect(data).toEqual([place(expected), expected.nonce, expect.any(Number)])
}

function expectFromSite(data: unknown, { nonce, person }: Expected): void {
  expect(data).toMatchObject({ query: { nonce } })
  const { headers } = data as { headers: { cookie: string } }
  expect(headers.cookie).toContain(`demo_session=${person.session}`)
}

const runsOf = async (operation: string): Promise<{ state: string }[]> =>
  (await (await product.http(`/v1/runs?limit=1000&operation=${operation}`)).json()).runs

describe('eight agents in two browsers with logins of their own', () => {
  test('each get the answers to what they asked, and nothing is lost', async () => {
    expect(work.session).not.toBe(home.session)
    const people = [work, home]
    for (const person of people)
      await Promise.all(
        agents.map(async agent => {
          const url = `${site.url}/feed${place({ agent: agent.name, person })}`
          const options = { profile: person.browser.profile.id, session: agent.name }
          expect((await agent.run('browser.navigate', { url }, options)).error).toBeNull()
        }),
      )
    const counts = await Promise.all(
      agents.map(async agent => {
        let done = 0
        for (let count = 0; count < TURNS; count += 1)
          for (const person of people) done += await turn(agent, person, count)
        return done
      }),
    )
    const each = TURNS * OPERATIONS
    expect(counts).toEqual(agents.map(() => each))
    expect(site.count('GET', '/api/echo')).toBe((agents.length * each) / 3)
    const echoes = await runsOf('probe.echo')
    expect(echoes).toHaveLength((agents.length * each) / 3)
    expect(new Set(echoes.map(({ state }) => state))).toEqual(new Set(['ok']))
  })
})

describe('an operation', () => {
  const names = () => [work, home].map(({ browser }) => browser.profile.name)
  const cookies = ['browser', 'cookies', '--args', '{"url":"http://127.0.0.1/"}']

  test('that names no profile is refused where two are linked, and told their names', async () => {
    const run = await product.cli(...cookies)
    expect(run.code).toBe(2)
    const { error } = run.json()
    expect(error).toMatchObject({ code: 'profile_ambiguous' })
    for (const name of names()) expect(error?.message).toContain(name)
    expect(error?.suggestion).toContain('--profile')
    for (const agent of agents.slice(3)) {
      const answer = await agent.run('browser.cookies', { url: site.url }, {})
      expect(answer).toMatchObject({ exit_code: 2, error: { code: 'profile_ambiguous' } })
      expect(answer.error?.details.profiles).toEqual(expect.arrayContaining(names()))
    }
  })

  test('that names a profile which is not there is refused, and told which are', async () => {
    const run = await product.cli(...cookies, '--profile', 'Nobody')
    expect(run.code).toBe(2)
    expect(run.json().error).toMatchObject({ code: 'profile_unknown' })
    for (const name of names()) expect(run.json().error?.message).toContain(name)
  })

  test('goes to the profile that the person prefers as long as it is linked, else to the only one', async () => {
    const { browser, session } = home
    await product.cli('config', 'set', 'browser.profile', browser.profile.name)
    const ask = () => product.run('browser.cookies', { url: site.url, names: ['demo_session'], values: true })
    expect(await ask()).toMatchObject({ data: [{ value: session }], meta: { profile: browser.profile.name } })
    const named = await product.run(
      'browser.cookies',
      { url: site.url },
      { profile: work.browser.profile.name },
    )
    expect(named.meta.profile).toBe(work.browser.profile.name)

    await browser.close()
    // A browser that has just gone may be on its way back: for that while it still counts.
    const alone = await waitFor(
      async () => {
        const answer = await ask()
        return answer.ok ? answer : null
      },
      { what: 'the only profile to be taken' },
    )
    expect(alone).toMatchObject({
      data: [{ value: work.session }],
      meta: { profile: work.browser.profile.name },
    })
    await product.cli('config', 'unset', 'browser.profile')
    expect(await ask()).toMatchObject({ ok: true, meta: { profile: work.browser.profile.name } })
  })
})
