import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

const idOf = async (target: string): Promise<string> => {
  const { html } = await rig.call('html', { target })
  return / id="([^"]*)"/.exec(html)?.[1] ?? html
}

describe('the target grammar', () => {
  beforeAll(async () => {
    await rig.show(`
      <button id=save>Save</button><button id=save-all>Save all</button><button id=hidden hidden>Cancel</button>
      <button id=cancel>Cancel</button>
      <p id=para>Some <b id=bold>important</b> words</p>
      <label for=mail>Mail address</label><input id=mail><input id=seek aria-label=Seek placeholder='Search here'><img id=pic alt='A cat' title='Picture'><button id=chain>a &gt;&gt; b</button>
      <h2 id=h2>Part</h2><h3 id=h3>Part</h3>
      <input type=checkbox id=on checked aria-label=One><input type=checkbox id=off aria-label=Two>
      <div data-testid=a id=ta></div><div data-test-id=b id=tb></div><div data-test=c id=tc></div>
      <input type=submit value="Press me" id=press>
      <div id=host></div><outer-app id=app></outer-app>`)
    await rig.page.evaluate(() => {
      const root = document.querySelector('#host')?.attachShadow({ mode: 'open' })
      if (root)
        root.innerHTML = '<button id=deep>Deep</button><div class=box><i id=deepest data-testid=d></i></div>'
      const app = document.querySelector('#app')?.attachShadow({ mode: 'open' })
      if (app) app.innerHTML = '<inner-app id=in></inner-app>'
      const inner = app?.querySelector('#in')?.attachShadow({ mode: 'open' })
      if (inner) inner.innerHTML = '<ul class=list><li id=far>Far</li></ul>'
    })
  })

  test.each([
    ['#save', 'save'],
    ['css=button:nth-of-type(2)', 'save-all'],
    ['css=#deep', 'deep'],
    ['css=#host .box > i', 'deepest'],
    ['css=outer-app inner-app .list > li', 'far'],
    ['xpath=//h2', 'h2'],
    ['//label/following-sibling::input[1]', 'mail'],
    ['xpath=//button[text()="Deep"]', 'deep'],
    ['text=Save', 'save'],
    ['text="Save all"', 'save-all'],
    ['text=save a', 'save-all'],
    ['text=important', 'bold'],
    ['text=Some important', 'para'],
    ['text=/^Save a/', 'save-all'],
    ['text=Press me', 'press'],
    ['text=Cancel', 'cancel'],
    ['text=Deep', 'deep'],
    ['label=Mail address', 'mail'],
    ['label=mail', 'mail'],
    ['label=Seek', 'seek'],
    ['role=button[name="Save"]', 'save'],
    ['role=button[name=/all$/]', 'save-all'],
    ['role=heading[level=3]', 'h3'],
    ['role=checkbox[checked]', 'on'],
    ['role=checkbox[checked=false]', 'off'],
    ['role=checkbox[name=two][checked=false]', 'off'],
    ['testid=a', 'ta'],
    ['testid=b', 'tb'],
    ['testid=c', 'tc'],
    ['testid=d', 'deepest'],
    ['data-test=c', 'tc'],
    ['placeholder=Search', 'seek'],
    ['title=/^pict/i', 'pic'],
    ['alt="A cat"', 'pic'],
    ['role=heading[name=Part] >> nth=1', 'h3'],
    ['role=heading[name=Part] >> nth=-2', 'h2'],
    ['css=#para >> text=important', 'bold'],
    ['css=#host >> css=i', 'deepest'],
    ['role=button[name="a >> b"]', 'chain'],
  ])('%s names #%s', async (target, id) => {
    expect(await idOf(target)).toBe(id)
  })

  test('takes a ref as a snapshot shows it', async () => {
    const ref = await rig.refOf('button "Save all"')
    expect(await idOf(ref)).toBe('save-all')
    expect(await idOf(`[${ref}]`)).toBe('save-all')
    expect(await idOf(`ref=${ref}`)).toBe('save-all')
  })

  test('refuses several matches and says which they are', async () => {
    expect(await rig.failure('html', { target: 'role=heading[name="Part"]' })).toEqual({
      code: 'element_ambiguous',
      params: {
        target: 'role=heading[name="Part"]',
        count: 2,
        candidates: [
          expect.stringMatching(/^heading "Part" \[d1e\d+\]$/),
          expect.stringMatching(/^heading "Part" \[d1e\d+\]$/),
        ],
      },
    })
  })

  test('says what looks like a target that matches nothing', async () => {
    expect(await rig.failure('html', { target: 'role=button[name="Sav al"]' })).toEqual({
      code: 'element_not_found',
      params: {
        target: 'role=button[name="Sav al"]',
        nearest: expect.arrayContaining(['role=button[name="Save all"]']),
      },
    })
  })

  test.each([
    ['css=button[', 'CSS'],
    ['xpath=//[', 'XPath'],
    ['role=button[nam=x]', 'nam'],
    ['role=', 'nothing follows'],
    ['text=/(/', 'regular expression'],
  ])('refuses %s', async (target, problem) => {
    const { code, params } = await rig.failure('html', { target })
    expect(code).toBe('invalid_args')
    expect(JSON.stringify(params.problems)).toContain(problem)
  })
})

describe('an element that is not there yet', () => {
  test('is waited for', async () => {
    await rig.show(
      '<script>setTimeout(() => document.body.append("", Object.assign(document.createElement("p"), {id: "p"})), 400)</script>',
    )
    expect(await idOf('css=#p')).toBe('p')
  })
})

describe('refs', () => {
  test('stay the same over snapshots, and new elements get new ones', async () => {
    await rig.show('<button>One</button><button>Two</button>')
    expect(await rig.snapshot()).toBe('button "One" [d1e1]\nbutton "Two" [d1e2]')
    await rig.page.evaluate(() =>
      document.body.prepend(Object.assign(document.createElement('button'), { textContent: 'Zero' })),
    )
    expect(await rig.snapshot()).toBe('button "Zero" [d1e3]\nbutton "One" [d1e1]\nbutton "Two" [d1e2]')
  })

  test('carry the number of the document', async () => {
    await rig.show('<button>One</button>')
    const answer = await rig.ask('snapshot', {}, { document: 7 })
    expect(answer).toMatchObject({ document: 7, ok: true, value: { text: 'button "One" [d7e1]' } })
    expect(await rig.ask('html', {}, { document: 8 })).toMatchObject({ document: 7 })
    expect((await rig.failure('html', { target: 'd8e1' })).code).toBe('ref_gone')
  })

  test('find an element again that was rendered anew', async () => {
    await rig.show('<ul><li>Milk <button>Drop</button></li><li>Eggs <button>Drop</button></li></ul>')
    const text = await rig.snapshot()
    const ref = /Eggs", button "Drop" \[(\S+)\]/.exec(text)?.[1] ?? ''
    await rig.page.evaluate(() => {
      const list = document.querySelector('ul')
      if (list)
        list.innerHTML = '<li>Milk <button>Drop</button></li><li>Eggs <button id=eggs>Drop</button></li>'
    })
    expect(await idOf(ref)).toBe('eggs')
    expect(await rig.snapshot()).toContain(`"Eggs", button "Drop" [${ref}]`)
  })

  test('are refused when the element was removed', async () => {
    await rig.show('<button>One</button>')
    const ref = await rig.refOf('button "One"')
    await rig.page.evaluate(() => document.querySelector('button')?.remove())
    expect(await rig.failure('click', { target: ref })).toEqual({
      code: 'ref_gone',
      params: { ref, reason: 'button "One" was removed from the page' },
    })
  })

  test('are refused when several elements could be meant', async () => {
    await rig.show('<div id=box><button>Go</button></div>')
    const ref = await rig.refOf('button "Go"')
    await rig.page.evaluate(() => {
      document.body.innerHTML = '<button>Go</button><button>Go</button>'
    })
    expect((await rig.failure('click', { target: ref })).params.reason).toBe(
      'button "Go" was rendered anew and 2 elements look like it now',
    )
  })

  test('follow the row, not the node, when a list reuses its nodes', async () => {
    await rig.show('<ul><li>Alpha <button>Drop</button></li><li>Beta <button>Drop</button></li></ul>')
    const text = await rig.snapshot()
    const alpha = /Alpha", button "Drop" \[(\S+)\]/.exec(text)?.[1] ?? ''
    const beta = /Beta", button "Drop" \[(\S+)\]/.exec(text)?.[1] ?? ''
    await rig.page.evaluate(() => {
      const [first, second] = document.querySelectorAll('li')
      if (first?.firstChild) first.firstChild.nodeValue = 'Beta '
      first?.querySelector('button')?.setAttribute('id', 'now-beta')
      second?.remove()
    })
    expect(await idOf(beta)).toBe('now-beta')
    expect((await rig.failure('html', { target: alpha })).code).toBe('ref_gone')
  })

  test('tell rows apart by their numbers alone', async () => {
    const rows = (numbers: number[]) =>
      numbers.map(number => `<li>Draft ${number} <button>Drop</button></li>`).join('')
    await rig.show(`<ul>${rows([1, 2, 3])}</ul>`)
    const text = await rig.snapshot()
    const [first = '', second = ''] = [...text.matchAll(/\[(d1e\d+)\]/g)].map(match => match[1] ?? '')
    await rig.page.evaluate(() => {
      for (const [at, text] of ['Draft 2 ', 'Draft 3 '].entries()) {
        const node = document.querySelectorAll('li')[at]?.firstChild
        if (node) node.nodeValue = text
      }
      document.querySelectorAll('li')[2]?.remove()
    })
    expect((await rig.failure('html', { target: first })).code).toBe('ref_gone')
    await rig.call('click', { target: second })
    expect(await rig.page.evaluate(() => document.activeElement?.parentElement?.textContent)).toBe(
      'Draft 2 Drop',
    )
  })

  test('go on in rows whose other content changes', async () => {
    await rig.show(
      '<ul><li>Tea 1.20 EUR <button>Buy</button></li><li>Rum 8 EUR <button>Buy</button></li></ul>',
    )
    const ref = /Tea 1.20 EUR", button "Buy" \[(\S+)\]/.exec(await rig.snapshot())?.[1] ?? ''
    await rig.page.evaluate(() => {
      const node = document.querySelector('li')?.firstChild
      if (node) node.nodeValue = 'Tea 1.35 EUR '
    })
    expect((await rig.call('read', { target: ref })).name).toBe('Buy')
  })

  test('go on when only a count in the name changes', async () => {
    await rig.show('<button id=b>Inbox (3)</button>')
    const ref = await rig.refOf('button "Inbox (3)"')
    await rig.page.evaluate(() => {
      const button = document.querySelector('button')
      if (button) button.textContent = 'Inbox (12)'
    })
    expect(await idOf(ref)).toBe('b')
  })

  test('go on when the act itself changed the name', async () => {
    await rig.show(
      "<button id=b onclick=\"this.textContent = this.textContent === 'Play' ? 'Stop' : 'Play'\">Play</button>",
    )
    const ref = await rig.refOf('button "Play"')
    expect((await rig.call('click', { target: ref })).verdict).toBe('confirmed')
    expect((await rig.call('click', { target: ref })).verdict).toBe('confirmed')
    expect((await rig.call('read', { target: ref })).text).toBe('Play')
  })

  test('are refused when the element has become another', async () => {
    await rig.show('<button>Keep draft</button>')
    const ref = await rig.refOf('button "Keep draft"')
    await rig.page.evaluate(() => {
      const button = document.querySelector('button')
      if (button) button.textContent = 'Delete draft'
    })
    expect((await rig.failure('click', { target: ref })).params.reason).toBe(
      'it was button "Keep draft" and is button "Delete draft" now',
    )
  })

  test('of an earlier page are refused after a navigation', async () => {
    await rig.show('<button>One</button>')
    const ref = await rig.refOf('button "One"')
    await rig.show('<button>One</button>')
    const answer = await rig.ask('click', { target: ref }, { document: 2 })
    expect(answer).toMatchObject({ ok: false, failure: { code: 'ref_gone' } })
  })
})
