import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'
import { NAMES_BY_AUTHORS, NAMES_BY_CONTENT, NAMES_BY_MARKUP, type NameCase } from './name-cases.ts'
import { GIVEN_ROLES, ROLES_OF_ELEMENTS, ROLES_OF_INPUTS, STATES_OF_ELEMENTS } from './role-cases.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
  await rig.show('')
})
afterAll(() => rig.close())

const groups: Record<string, NameCase[]> = {
  'the role of each element by HTML-AAM': ROLES_OF_ELEMENTS,
  'the role of each kind of input by HTML-AAM': ROLES_OF_INPUTS,
  'roles that authors give, by WAI-ARIA': GIVEN_ROLES,
  'names that authors give, by accname': NAMES_BY_AUTHORS,
  'names by the markup, by HTML-AAM': NAMES_BY_MARKUP,
  'names by content, by accname': NAMES_BY_CONTENT,
}

describe.each(Object.entries(groups))('%s', (_, cases) => {
  test.each(cases)('%s is %s "%s"', async (markup, role, name) => {
    await rig.page.evaluate(text => {
      document.body.innerHTML = text
    }, markup)
    expect(await rig.call('read', { target: 'css=#t' })).toMatchObject({ role, name })
  })
})

describe('the states of each element by WAI-ARIA and HTML-AAM', () => {
  test.each(STATES_OF_ELEMENTS)('%s is told as %s', async (markup, told) => {
    await rig.page.evaluate(text => {
      document.body.innerHTML = text
    }, markup)
    const [line = ''] = (await rig.snapshot()).split('\n')
    expect(line.replace(/ \[d1e\d+\]/, '')).toBe(told)
  })

  test('what a button or a summary has opened is open to a role target too', async () => {
    await rig.page.evaluate(() => {
      document.body.innerHTML =
        '<button id=b popovertarget=p>Menu</button><div id=p popover>x</div><details open><summary id=s>More</summary>x</details>'
      document.querySelector<HTMLElement>('#p')?.showPopover()
    })
    expect(await rig.call('read', { target: 'role=button[name=Menu][expanded=true]' })).toBeDefined()
    expect(await rig.call('read', { target: 'role=button[name=More][expanded=true]' })).toBeDefined()
  })

  test('a name with soft hyphens and spaces that do not break is found by what is seen of it', async () => {
    await rig.page.evaluate(() => {
      document.body.innerHTML = '<button>Add\u00a0to\u00a0cart</button><a href=/>Daten\u00adschutz</a>'
    })
    for (const target of ['role=link[name="Datenschutz"]', 'text="Daten\u00adschutz"'])
      expect(await rig.call('read', { target })).toMatchObject({ role: 'link' })
    for (const target of ['role=button[name="Add to cart"]', 'role=button[name="Add\u00a0to\u00a0cart"]'])
      expect(await rig.call('read', { target })).toMatchObject({ name: 'Add\u00a0to\u00a0cart' })
  })
})

describe('what aria-hidden cannot hide', () => {
  test('is the document as a whole', async () => {
    await rig.show('<button>Go</button><script>document.body.setAttribute("aria-hidden", "true")</script>')
    expect(await rig.snapshot()).toBe('button "Go" [d1e1]')
  })

  test('is what holds the focus, for as long as it does', async () => {
    await rig.show('<div aria-hidden=true><button>Go</button></div><button>On</button>')
    expect(await rig.snapshot()).toBe('button "On" [d1e1]')
    await rig.page.evaluate(() => document.querySelector('button')?.focus())
    expect(await rig.snapshot()).toContain('button "Go" [d1e2] focused')
  })
})

describe('shadow trees', () => {
  test('gives names through slots and from inside of shadow roots', async () => {
    await rig.page.evaluate(() => {
      document.body.innerHTML = '<my-button id=host>Save <b slot=extra>now</b></my-button>'
      const root = document.querySelector('#host')?.attachShadow({ mode: 'open' })
      if (root) root.innerHTML = '<button id=t><slot></slot><i><slot name=extra>later</slot></i>!</button>'
    })
    expect(await rig.call('read', { target: 'css=#t' })).toMatchObject({ role: 'button', name: 'Save now!' })
  })

  test('gives a slotted element the context of the shadow tree around its slot', async () => {
    await rig.page.evaluate(() => {
      document.body.innerHTML = '<my-list id=host><div id=t role=listitem>Cat</div></my-list>'
      const root = document.querySelector('#host')?.attachShadow({ mode: 'open' })
      if (root) root.innerHTML = '<div role=list><slot></slot></div>'
    })
    expect(await rig.call('read', { target: 'css=#t' })).toMatchObject({ role: 'listitem' })
  })

  test('finds the labels of a control in its own shadow root', async () => {
    await rig.page.evaluate(() => {
      document.body.innerHTML = '<label for=t>Outer</label><div id=host></div>'
      const root = document.querySelector('#host')?.attachShadow({ mode: 'open' })
      if (root) root.innerHTML = '<label for=t>Inner</label><input id=t>'
    })
    expect(await rig.call('read', { target: 'css=#t' })).toMatchObject({ role: 'textbox', name: 'Inner' })
  })
})
