import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig({ '/there': '<title>There</title>' })
})
afterAll(() => rig.close())

const outText = () => rig.page.evaluate(() => document.querySelector('#out')?.textContent)
const click = (target: string, count = 1) => rig.call('click', { target, count })

describe('a click', () => {
  beforeEach(() => rig.open('ways-of-clicking'))

  test('comes as the events of a pointer, once each and in their order', async () => {
    const { verdict, effects } = await click('text=Plain')
    expect(verdict).toBe('confirmed')
    expect(effects).toContain('dom')
    expect(await rig.page.evaluate(() => (globalThis as { clicks?: string[] }).clicks)).toEqual([
      'pointerover:0',
      'pointerenter:0',
      'pointerdown:0',
      'mousedown:1',
      'focus:0',
      'pointerup:0',
      'mouseup:1',
      'click:1',
    ])
  })

  test('comes twice for a double click, with one dblclick', async () => {
    await click('text=Plain', 2)
    const events = await rig.page.evaluate(() => (globalThis as { clicks?: string[] }).clicks ?? [])
    expect(events.filter(event => event.includes('click'))).toEqual(['click:1', 'click:2', 'dblclick:2'])
  })

  test('that does nothing is not confirmed', async () => {
    expect(await click('text=Dead')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
  })

  test('that only makes the button look pressed is not confirmed', async () => {
    expect(await click('text=Ripple')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
  })

  test('whose effect comes late is confirmed', async () => {
    expect(await click('text=Late')).toMatchObject({ verdict: 'confirmed', effects: ['dom'] })
    expect(await outText()).toBe('late')
  })

  test('that only sends a request is confirmed by the request', async () => {
    expect(await click('text="Fetch"')).toMatchObject({ verdict: 'confirmed', effects: ['network'] })
  })

  test('toggles a checkbox once, also by its label and when the box itself is not drawn', async () => {
    expect(await click('label=Custom box')).toMatchObject({ verdict: 'confirmed', value: 'checked' })
    expect(await click('text=Custom box')).toMatchObject({ verdict: 'confirmed', effects: ['checked'] })
    expect((await rig.call('read', { target: 'css=#custom' })).checked).toBe('false')
  })

  test('on the words of a button goes to the button, whatever lies over them in it', async () => {
    await rig.show(`<button onclick="this.value = 'on'" style="position:relative"><b>Vegan</b>
      <i style="position:absolute;inset:-9px"></i></button>`)
    await click('css=b')
    expect(await rig.page.evaluate("document.querySelector('button').value")).toBe('on')
  })

  test('on a field that is cut to nothing goes to what is drawn around it', async () => {
    await rig.show(`<div onclick="this.title = 'hit'" style="width:20px;height:20px;background:#08f">
      <input type=range aria-label=Loud style="clip:rect(0 0 0 0);position:absolute;width:20px"></div>`)
    await click('role=slider')
    expect(await rig.page.evaluate("document.querySelector('div').title")).toBe('hit')
  })

  test('into a field puts the focus there', async () => {
    expect(await click('label=Field')).toMatchObject({ verdict: 'confirmed', effects: ['focus'], value: '' })
    expect(await rig.page.evaluate(() => document.activeElement?.id)).toBe('field')
  })

  test('scrolls to what is below the fold', async () => {
    await click('text=Below the fold')
    expect(await outText()).toBe('below')
  })

  test('on a link to a place in the page goes there', async () => {
    const { verdict, effects, url } = await click('text=Jump')
    expect(verdict).toBe('confirmed')
    expect(effects).toContain('navigation')
    expect(url).toMatch(/#below$/)
  })
})

describe('a click is refused, with the reason in words,', () => {
  const reasonOf = async (target: string): Promise<unknown> => {
    const { code, params } = await rig.failure('click', { target }, { deadline: Date.now() + 1000 })
    expect(code).toBe('element_not_ready')
    return params.reason
  }

  test('when something covers the element', async () => {
    await rig.open('ways-of-clicking')
    await rig.page.evaluate(() => {
      document.body.insertAdjacentHTML(
        'beforeend',
        '<div id=cover role=dialog aria-label=Cookies><p>Accept?</p></div>',
      )
    })
    expect(await reasonOf('text=Plain')).toBe('dialog "Cookies" <div#cover> covers it')
  })

  test('when it is disabled, by itself or by its group', async () => {
    await rig.show(
      '<button disabled>One</button><fieldset disabled><button>Two</button></fieldset><div aria-disabled=true><button>Three</button></div>',
    )
    expect(await reasonOf('text=One')).toBe('it is disabled')
    expect(await reasonOf('text=Two')).toBe('the group around it is disabled')
    expect(await reasonOf('text=Three')).toBe('what is around it is disabled (aria-disabled)')
  })

  test('when it cannot be seen', async () => {
    await rig.show(
      '<button id=a hidden>x</button><button id=b style="visibility:hidden">x</button><div id=c></div><div inert><button id=d>x</button></div>',
    )
    expect(await reasonOf('css=#a')).toBe('it is not shown (display: none, or in something closed)')
    expect(await reasonOf('css=#b')).toBe('it is invisible (visibility: hidden)')
    expect(await reasonOf('css=#c')).toBe('it has no size')
    expect(await reasonOf('css=#d')).toBe('it is inert: a modal dialog or the page itself cuts it off')
  })

  test('when the pointer goes through it', async () => {
    await rig.open('ways-of-clicking')
    expect(await reasonOf('text=Through')).toBe('it ignores the pointer (pointer-events: none)')
  })

  test('when it never comes to rest', async () => {
    await rig.show(
      '<style>@keyframes m{to{margin-left:400px}}</style><button style="animation:m 1s linear infinite alternate">Runs</button>',
    )
    expect(await reasonOf('text=Runs')).toBe('it is moving')
  })
})

describe('a click waits', () => {
  test('until a moving button rests', async () => {
    await rig.show(
      '<style>@keyframes m{from{margin-left:0}to{margin-left:300px}}</style><button style="animation:m 700ms linear forwards" onclick="this.textContent=\'hit\'">Slides</button>',
    )
    expect(await click('text=Slides')).toMatchObject({ verdict: 'confirmed' })
    expect((await rig.call('read', { target: 'css=button' })).text).toBe('hit')
  })

  test('until a disabled button is enabled', async () => {
    await rig.show(
      '<button disabled onclick="this.textContent=\'hit\'">Soon</button><script>setTimeout(() => { document.querySelector("button").disabled = false }, 800)</script>',
    )
    expect(await click('text=Soon')).toMatchObject({ verdict: 'confirmed' })
  })

  test('until an overlay goes away', async () => {
    await rig.show(
      '<button onclick="this.textContent=\'hit\'">Under</button><div id=o style="position:fixed;inset:0">Loading</div><script>setTimeout(() => o.remove(), 800)</script>',
    )
    expect(await click('text=Under')).toMatchObject({ verdict: 'confirmed' })
  })
})

describe('a click hits', () => {
  test('what is covered in part only, beside the cover', async () => {
    await rig.show(
      '<button style="width:400px" onclick="this.textContent=\'hit\'">Wide</button><div style="position:fixed;left:150px;top:0;width:150px;height:60px;background:red">cover</div>',
    )
    expect(await click('text=Wide')).toMatchObject({ verdict: 'confirmed' })
  })

  test('what is drawn anew between press and release', async () => {
    await rig.show('<div id=box><button>Go</button></div><p id=out></p>')
    await rig.page.evaluate(() => {
      const box = document.querySelector('#box')
      const draw = () => {
        if (box) box.innerHTML = '<button>Go</button>'
        const button = box?.querySelector('button')
        button?.addEventListener('mousedown', draw)
        button?.addEventListener('click', () => {
          document.body.append('clicked')
        })
      }
      draw()
    })
    expect(await click('text="Go"')).toMatchObject({ verdict: 'confirmed' })
    expect(await rig.page.evaluate(() => document.body.textContent)).toContain('clicked')
  })

  test('inside of open shadow roots', async () => {
    await rig.show('<my-box></my-box><p id=out></p>')
    await rig.page.evaluate(() => {
      const root = document.querySelector('my-box')?.attachShadow({ mode: 'open' })
      if (root) root.innerHTML = '<button><span>Deep</span></button>'
      root?.querySelector('button')?.addEventListener('click', event => {
        ;(event.currentTarget as Element).textContent = 'hit'
      })
    })
    expect(await click('role=button[name="Deep"]')).toMatchObject({ verdict: 'confirmed', effects: ['dom'] })
  })

  test('the second line of a wrapped link where the first is covered', async () => {
    await rig.show(
      '<div style="width:120px"><a href="#x">several words that wrap over lines</a></div><div style="position:fixed;inset:0 0 auto 0;height:28px">bar</div>',
    )
    expect((await click('css=a')).effects).toContain('navigation')
  })
})

describe('no credit is taken', () => {
  test('for a clock that ticks, seen before', async () => {
    await rig.show(
      '<button>Dead</button><p id=c>0</p><script>setInterval(() => { c.textContent++ }, 200)</script>',
    )
    await rig.snapshot()
    await rig.page.waitForFunction(() => Number(document.querySelector('#c')?.textContent) > 3)
    expect(await click('text=Dead')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
  })

  test('for a clock that ticks, never seen before', async () => {
    await rig.show(
      '<button>Dead</button><p id=c>0</p><script>setInterval(() => { c.textContent++ }, 450)</script>',
    )
    expect(await click('text=Dead')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
  })

  test('for a page that renders itself anew all the time', async () => {
    await rig.show(
      '<button>Dead</button><div id=app></div><script>setInterval(() => { app.innerHTML = "<p>" + Math.random() + "</p>" }, 40)</script>',
    )
    expect(await click('text=Dead')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
  })

  test('for a page that polls', async () => {
    await rig.show(
      '<button>Dead</button><script>setInterval(() => fetch("/there?" + Math.random()), 100)</script>',
    )
    await rig.page.waitForFunction(() => performance.getEntriesByType('resource').length > 2)
    expect(await click('text=Dead')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
  })

  test('for what hovering alone shows', async () => {
    await rig.show(
      '<button onmouseover="document.body.append(\'hovered\')" onfocus="this.classList.add(\'focus\')">Dead</button>',
    )
    expect(await click('text=Dead')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
  })

  test('but is given on such pages for what the click itself does', async () => {
    await rig.show(
      '<button onclick="app.dataset.done=1;app.innerHTML=\'<b>done</b>\'">Works</button><div id=app></div><script>setInterval(() => { app.append(".") }, 40)</script>',
    )
    expect(await click('text=Works')).toMatchObject({ verdict: 'confirmed', effects: ['dom'] })
  })
})

describe('effects', () => {
  test('of a stepper are seen in the field that it changes', async () => {
    await rig.show('<input id=n value=1><button onclick="n.value++">+</button>')
    expect(await click('text=+')).toMatchObject({ verdict: 'confirmed', effects: ['value'] })
  })

  test('of a button that opens a dialog are told', async () => {
    await rig.show(
      '<button onclick="d.showModal()">Open</button><dialog id=d><button>Close</button></dialog>',
    )
    const { verdict, effects } = await click('text=Open')
    expect(verdict).toBe('confirmed')
    expect(effects).toEqual(expect.arrayContaining(['dialog', 'focus']))
  })

  test('of history.pushState are a navigation', async () => {
    await rig.show("<button onclick=\"history.pushState(0, '', '/pushed')\">Push</button>")
    expect(await click('text=Push')).toMatchObject({ effects: ['navigation'], url: `${rig.site.url}/pushed` })
  })

  test('of a link that leaves are a navigation, told or seen by the loss of the document', async () => {
    await rig.show('<a href="/there">Leave</a>')
    const arrived = rig.site.nextRequest('/there')
    const answer = await rig.ask('click', { target: 'text=Leave', count: 1 })
    if (answer !== null) expect(answer).toMatchObject({ ok: true, value: { verdict: 'confirmed' } })
    await arrived
    await rig.page.waitForURL('**/there')
  })
})

describe('hidden tabs', () => {
  test('are clicked although no frame is drawn there', async () => {
    await rig.show('<button onclick="this.textContent=\'hit\'">Hidden</button>')
    await rig.inWorld(
      "Object.defineProperty(document, 'visibilityState', { value: 'hidden' }); globalThis.requestAnimationFrame = () => 0",
    )
    const started = Date.now()
    expect(await click('text=Hidden')).toMatchObject({ verdict: 'confirmed' })
    expect(Date.now() - started).toBeLessThan(3000)
  })
})

describe('calls', () => {
  test('that are stopped end as cancelled and do nothing any more', async () => {
    await rig.show('<button disabled onclick="document.title=\'hit\'">Off</button>')
    const answer = rig.ask('click', { target: 'text=Off' }, { call: 'mine' })
    await rig.inWorld("globalThis.__unicliPage.stop('mine')")
    expect(await answer).toMatchObject({ ok: false, failure: { code: 'cancelled' } })
    await rig.page.evaluate(() => document.querySelector('button')?.removeAttribute('disabled'))
    expect(await rig.page.title()).toBe('Test page')
  })

  test('on one page come one after the other', async () => {
    await rig.show('<input id=a aria-label=A><input id=b aria-label=B>')
    await Promise.all([
      rig.call('type', { target: 'label=A', text: 'first text' }),
      rig.call('type', { target: 'label=B', text: 'second text' }),
    ])
    expect((await rig.call('read', { target: 'css=#a' })).value).toBe('first text')
    expect((await rig.call('read', { target: 'css=#b' })).value).toBe('second text')
  })
})
