import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

const type = (target: string, text: string, more: { replace?: boolean; submit?: boolean } = {}) =>
  rig.call('type', { target, text, ...more })
const fieldValue = (id: string) =>
  rig.page.evaluate(each => (document.querySelector(each) as HTMLInputElement).value, `#${id}`)
const events = () => rig.page.evaluate(() => (globalThis as { events?: string[] }).events ?? [])

describe('typing into fields', () => {
  beforeEach(() => rig.open('typing'))

  test('replaces what was there and reads it back', async () => {
    expect(await type('label=Text', 'new')).toMatchObject({ verdict: 'confirmed', value: 'new' })
    expect(await fieldValue('text')).toBe('new')
  })

  test('appends when it shall not replace', async () => {
    expect(await type('label=Text', 'er', { replace: false })).toMatchObject({
      verdict: 'confirmed',
      value: 'older',
    })
    expect(await type('label=Mail', 'om', { replace: false })).toMatchObject({ value: 'a@b.com' })
  })

  test('clears a field by typing nothing', async () => {
    expect(await type('label=Text', '')).toMatchObject({ verdict: 'confirmed', value: '' })
  })

  test('sends the events of a keyboard for every character', async () => {
    await type('label=Text', 'a1')
    expect((await events()).filter(event => / text /.test(event) || /focus/.test(event))).toEqual([
      'focus text ',
      'keydown text a',
      'keypress text a',
      'beforeinput text a',
      'input text a',
      'keyup text a',
      'keydown text 1',
      'keypress text 1',
      'beforeinput text 1',
      'input text 1',
      'keyup text 1',
    ])
  })

  test('tells the change when the focus leaves, and only then', async () => {
    await type('label=Text', 'x')
    expect(await events()).not.toContain('change text ')
    await rig.call('press', { key: 'Tab' })
    expect((await events()).filter(event => event === 'change text ')).toHaveLength(1)
  })

  test.each([
    ['CJK', '你好，世界。カタカナ 한국어'],
    ['emoji of several code points', 'a👩‍👩‍👧‍👦b🇨🇳c😀'],
    ['accents and other scripts', 'Žluťoučký kůň, Ünïcödé, Привет, שלום'],
    ['markup and quotes', `<b>"it's" & \\n {{x}} \${y}</b>`],
  ])('keeps %s exact', async (_, text) => {
    expect(await type('label=Text', text)).toMatchObject({ verdict: 'confirmed', value: text })
    expect(await fieldValue('text')).toBe(text)
  })

  test('sends CJK as a composition', async () => {
    await type('label=Text', '你好')
    expect((await events()).filter(event => event.includes(' text '))).toEqual([
      'focus text ',
      'keydown text Process',
      'compositionstart text ',
      'beforeinput text 你好',
      'input text 你好',
      'compositionend text 你好',
      'keyup text Process',
    ])
  })

  test('puts long texts in at once', async () => {
    const text = '一段很长的文字。'.repeat(500)
    expect(await type('label=Area', text)).toMatchObject({ verdict: 'confirmed' })
    expect(await fieldValue('area')).toBe(text)
  })

  test('keeps line breaks in text areas without pressing Enter', async () => {
    expect(await type('label=Area', 'one\r\ntwo\n\nthree')).toMatchObject({
      verdict: 'confirmed',
      value: 'one\ntwo\n\nthree',
    })
    expect((await events()).filter(event => event.includes('Enter'))).toEqual([])
  })

  test('respects the greatest length, and then has failed', async () => {
    expect(await type('label=Short', '1234567')).toMatchObject({ verdict: 'failed', value: '12345' })
  })

  test('never tells a password, and still knows that it stands there', async () => {
    expect(await type('label=Secret', 'hunter2')).toMatchObject({ verdict: 'confirmed', value: '[filled]' })
    expect(await fieldValue('secret')).toBe('hunter2')
  })

  test('is unconfirmed where the field sets out the text in its own way', async () => {
    expect(await type('label=Phone', '12345')).toMatchObject({ verdict: 'unconfirmed', value: '(123) 45' })
  })

  test('types numbers, and sets dates, colours and ranges as a whole', async () => {
    expect(await type('label=Number', '4.5')).toMatchObject({ verdict: 'confirmed', value: '4.5' })
    expect(await type('label=Day', '2026-08-21')).toMatchObject({ verdict: 'confirmed', value: '2026-08-21' })
    expect(await type('label=Level', '7')).toMatchObject({ verdict: 'confirmed', value: '7' })
    expect(await type('label=Level', '99')).toMatchObject({ verdict: 'failed', value: '10' })
    expect(await type('label=Hue', '#1E90FF')).toMatchObject({ verdict: 'confirmed', value: '#1e90ff' })
    expect((await events()).filter(event => event.startsWith('change day'))).toHaveLength(1)
  })

  test('sets sliders of the page by their keys, as far as their steps lead there', async () => {
    await rig.show(`<div role=slider tabindex=0 aria-label=Loud aria-valuemin=0 aria-valuemax=100 aria-valuenow=10
      onkeydown="const by = { ArrowUp: 2, ArrowDown: -2, PageUp: 20, PageDown: -20 }[event.key] ?? 0
        this.ariaValueNow = Math.max(0, Math.min(100, Number(this.ariaValueNow) + by))">o</div>`)
    const slider = { target: 'role=slider' }
    expect(await rig.call('type', { ...slider, text: '74' })).toMatchObject({ verdict: 'confirmed' })
    expect(await rig.call('type', { ...slider, text: '8' })).toMatchObject({ verdict: 'confirmed' })
    expect(await rig.call('type', { ...slider, text: '9' })).toMatchObject({ verdict: 'failed' })
    expect(await rig.failure('type', { ...slider, text: '101' })).toMatchObject({
      params: { reason: 'it goes from 0 to 100' },
    })
  })

  test('knows the same number in a segment, and what a mask puts before and around the text', async () => {
    await rig.show(`<div role=spinbutton contenteditable aria-label=Month oninput="this.textContent = this.textContent.padStart(2, '0')"></div>
      <label>Phone <input oninput="const d = this.value.replace(/\\D/g, ''); this.value = d ? '+1 ' + d : '__ __'"></label>`)
    const typed = (target: string, text: string) => rig.call('type', { target, text })
    expect(await typed('role=spinbutton', '8')).toMatchObject({ verdict: 'confirmed', value: '08' })
    expect(await rig.call('paste', { target: 'label=Phone', text: '2015550123' })).toMatchObject({
      value: '+1 2015550123',
    })
    expect(await typed('label=Phone', '')).toMatchObject({ verdict: 'unconfirmed', value: '__ __' })
  })

  test('chooses an option by its label or value', async () => {
    expect(await type('label=Fruit', 'Pear')).toMatchObject({
      verdict: 'confirmed',
      value: 'Pear',
      effects: ['value'],
    })
    expect(await type('label=Fruit', 'a')).toMatchObject({ verdict: 'confirmed', value: 'Apple' })
  })

  test('goes into the focused field when no target is named', async () => {
    await rig.call('click', { target: 'label=Text' })
    expect(await rig.call('type', { text: 'here' })).toMatchObject({ verdict: 'confirmed', value: 'here' })
  })

  test('finds the only field in a wrapper', async () => {
    expect(await type('css=#wrapper', 'found')).toMatchObject({ verdict: 'confirmed', value: 'found' })
    expect(await fieldValue('inner')).toBe('found')
  })
})

describe('typing is refused', () => {
  beforeEach(() => rig.open('typing'))

  test.each([
    ['label=Fixed', 'it is read-only', 'fixed'],
    ['label=Box', 'it is a checkbox: click it', 'box'],
    ['text=Send', 'it takes no text (its role is button)', 'text'],
    ['label=Day', 'it takes a date such as 2026-08-21, not "tomorrow"', 'day'],
  ])('by %s: %s', async (target, reason, id) => {
    const before = await fieldValue(id)
    const { code, params } = await rig.failure('type', { target, text: 'tomorrow' })
    expect({ code, reason: params.reason }).toEqual({ code: 'element_not_ready', reason })
    expect(await fieldValue(id)).toBe(before)
  })

  test('by a disabled field, after some patience', async () => {
    const { params } = await rig.failure(
      'type',
      { target: 'label=Off', text: 'x' },
      { deadline: Date.now() + 800 },
    )
    expect(params.reason).toBe('it is disabled')
    expect(await fieldValue('off')).toBe('kept')
  })

  test('by a field in a disabled group, also when its label or wrapper is named', async () => {
    await rig.show('<fieldset disabled><label id=l>A <input></label><div id=w><input></div></fieldset>')
    for (const target of ['css=#l', 'css=#w']) {
      const { params } = await rig.failure('type', { target, text: 'x' }, { deadline: Date.now() + 500 })
      expect(params.reason).toBe('the group around it is disabled')
    }
  })

  test('by a list that has no such option, naming those that are near', async () => {
    expect(await rig.failure('type', { target: 'label=Fruit', text: 'Peer' })).toMatchObject({
      code: 'element_not_found',
      params: { nearest: expect.arrayContaining(['Pear']) },
    })
    expect((await rig.failure('type', { target: 'label=Fruit', text: 'Plum' })).params.reason).toBe(
      'its option "Plum" is disabled',
    )
  })
})

describe('submitting', () => {
  beforeEach(() => rig.open('typing'))
  const log = () => rig.page.evaluate(() => document.querySelector('#log')?.textContent)

  test('presses Enter, which clicks the default button of the form', async () => {
    expect(await type('label=Text', 'go', { submit: true })).toMatchObject({ verdict: 'confirmed' })
    expect(await log()).toBe('submitted by Send')
    expect((await events()).filter(event => /Enter|submit|change/.test(event))).toEqual([
      'keydown text Enter',
      'keypress text Enter',
      'change text ',
      'submit form ',
      'keyup text Enter',
    ])
  })

  test('does not follow when the page has prevented it', async () => {
    await rig.page.evaluate(() => {
      document.querySelector('#text')?.addEventListener('keydown', event => {
        if ((event as KeyboardEvent).key === 'Enter') event.preventDefault()
      })
    })
    expect(await type('label=Text', 'go', { submit: true })).toMatchObject({ verdict: 'unconfirmed' })
    expect(await log()).toBe('')
  })

  test('does not follow when the text went wrong', async () => {
    expect(await type('label=Short', 'too long', { submit: true })).toMatchObject({ verdict: 'failed' })
    expect(await log()).toBe('')
  })

  test('loads the page that the form leads to', async () => {
    await rig.show('<form action="/page"><input name=q aria-label=Query></form>')
    const arrived = rig.site.nextRequest('/page?q=')
    await rig.ask('type', { target: 'label=Query', text: '查询', submit: true })
    expect(decodeURIComponent((await arrived).path)).toBe('/page?q=查询')
    await rig.page.waitForURL('**/page?q=*')
  })
})

describe('controlled inputs', () => {
  beforeEach(() => rig.open('controlled'))

  test('notice what is typed, as React’s do', async () => {
    expect(await type('label=Name', 'Zoë')).toMatchObject({ verdict: 'confirmed', value: 'Zoë' })
    expect(await rig.page.evaluate(() => document.querySelector('#log')?.textContent)).toBe(
      'name:Z;name:Zo;name:Zoë;',
    )
  })

  test('are told to have failed where they put back what was there', async () => {
    expect(await type('label=Frozen', 'other')).toMatchObject({ verdict: 'failed', value: 'fixed' })
  })

  test.each([
    ['42.5', '€42.50', 'unconfirmed'],
    ['1234.5', '1.234,50 €', 'unconfirmed'],
    ['42.5', '€425.00', 'failed'],
  ])('are judged by the amount where %s is written as %s', async (text, written, verdict) => {
    await rig.show(`<input aria-label=Sum oninput="if (this.value === '${text}') this.value = '${written}'">`)
    expect(await type('label=Sum', text)).toMatchObject({ verdict, value: written })
  })

  test('are unconfirmed where they change what is typed', async () => {
    expect(await type('label=Capitals', 'abc')).toMatchObject({ verdict: 'unconfirmed', value: 'ABC' })
  })
})

describe('editors', () => {
  beforeEach(() => rig.open('typing'))

  test('get their text replaced, whatever its markup', async () => {
    expect(await type('label=Editor', 'new 文字')).toMatchObject({ verdict: 'confirmed', value: 'new 文字' })
    expect(await rig.page.evaluate(() => document.querySelector('#editor')?.textContent)).toBe('new 文字')
  })

  test('get text appended, and several lines', async () => {
    expect(await type('label=Editor', ' more', { replace: false })).toMatchObject({ value: 'old text more' })
    expect(await type('label=Editor', 'one\ntwo')).toMatchObject({ verdict: 'confirmed', value: 'one\ntwo' })
  })

  test('that insert by themselves on beforeinput get nothing twice', async () => {
    await rig.page.evaluate(() => {
      document.querySelector('#editor')?.addEventListener('beforeinput', event => {
        const { inputType, data } = event as InputEvent
        if (!inputType.startsWith('insert')) return
        event.preventDefault()
        const selection = getSelection()
        selection?.deleteFromDocument()
        const node = document.createTextNode(data ?? '')
        selection?.getRangeAt(0).insertNode(node)
        selection?.collapse(node, node.length)
      })
    })
    expect(await type('label=Editor', 'abc')).toMatchObject({ verdict: 'confirmed', value: 'abc' })
  })

  test('that keep everything out are told to have failed', async () => {
    await rig.page.evaluate(() => {
      document.querySelector('#editor')?.addEventListener('beforeinput', event => event.preventDefault())
    })
    expect(await type('label=Editor', 'abc')).toMatchObject({ verdict: 'failed', value: 'old text' })
  })

  test('that hear of typed text by textInput alone get each character by it, once', async () => {
    await rig.page.evaluate(() => {
      const told: string[] = []
      Object.assign(globalThis, { told })
      document.querySelector('#editor')?.addEventListener('textInput', event => {
        const { data } = event as unknown as { data: string }
        told.push(data)
        if (data === 'x') event.preventDefault()
      })
    })
    expect(await type('label=Editor', 'abc')).toMatchObject({ verdict: 'confirmed', value: 'abc' })
    expect(await rig.page.evaluate('told')).toEqual(['a', 'b', 'c'])
    // What the page keeps out stays out.
    expect(await type('label=Editor', 'xx')).toMatchObject({ verdict: 'failed' })
  })

  test('that have the browser paste elsewhere, and bring it in later, get several lines once', async () => {
    await rig.page.evaluate(() => {
      const editor = document.querySelector<HTMLElement>('#editor')
      editor?.addEventListener('paste', event => {
        const text = event.clipboardData?.getData('text/plain') ?? ''
        const bin = editor.appendChild(document.createElement('div'))
        bin.textContent = 'BIN'
        setTimeout(() => {
          bin.remove()
          document.execCommand('insertText', false, text)
        }, 60)
      })
    })
    expect(await type('label=Editor', 'one\n二')).toMatchObject({ verdict: 'confirmed', value: 'one\n二' })
  })

  test('that hold a model of their own are emptied by the key, after they heard of the selection', async () => {
    await rig.page.evaluate(() => {
      const editor = document.querySelector<HTMLElement>('#editor')
      let selected = ''
      document.addEventListener('selectionchange', () => {
        selected = String(getSelection())
      })
      editor?.addEventListener('beforeinput', event => event.preventDefault())
      editor?.addEventListener('keydown', event => {
        if (event.key !== 'Delete') return
        event.preventDefault()
        editor.textContent = (editor.textContent ?? '').replace(selected, '')
      })
    })
    expect(await type('label=Editor', '')).toMatchObject({ verdict: 'confirmed', value: '' })
  })

  test('lose their lines before an input method writes over them', async () => {
    await rig.page.evaluate(() => {
      const editor = document.querySelector<HTMLElement>('#editor')
      if (editor) editor.innerHTML = '<p>one</p><p>two</p>'
      editor?.addEventListener('compositionstart', () => {
        Object.assign(globalThis, { stood: editor.innerText.trim() })
      })
    })
    expect(await type('label=Editor', '文字')).toMatchObject({ verdict: 'confirmed', value: '文字' })
    expect(await rig.page.evaluate('stood')).toBe('')
  })

  test('inside of shadow roots are typed into as well', async () => {
    await rig.show('<my-editor></my-editor><my-field></my-field>')
    await rig.page.evaluate(() => {
      const editor = document.querySelector('my-editor')?.attachShadow({ mode: 'open' })
      if (editor) editor.innerHTML = '<div contenteditable aria-label=Inner>old</div>'
      const field = document.querySelector('my-field')?.attachShadow({ mode: 'open' })
      if (field) field.innerHTML = '<input aria-label=Field value=old>'
    })
    expect(await type('label=Inner', 'new')).toMatchObject({ verdict: 'confirmed', value: 'new' })
    expect(await type('label=Field', 'new')).toMatchObject({ verdict: 'confirmed', value: 'new' })
  })
})
