import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokensOf } from '../../../shared/tokens.ts'
import type { Snapshot } from '../../../shared/values.ts'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

describe('the outline of a page', () => {
  let text: string
  beforeAll(async () => {
    await rig.open('outline')
    text = await rig.snapshot()
  })

  test.each([
    ['navigation "Main":'],
    ['link "Home" [d1e1] -> /'],
    ['link "Elsewhere" [d1e2] -> https://example.org/path?q=1'],
    ['heading "Orders" level=1'],
    ['form "Sign in":'],
    ['textbox "User name" [d1e3] required: zoë'],
    ['textbox "Password" [d1e4] type=password: [filled]'],
    ['combobox "Colour" [d1e5]: Blue (options: Red | Blue)'],
    ['checkbox "Remember me" [d1e6] checked'],
    ['group "Plan"'],
    ['radio "Free" [d1e7] checked disabled'],
    ['button "More" [d1e8] expanded=false'],
    ['button "Bold" [d1e9] pressed=true'],
    ['button "Sign in" [d1e10] disabled'],
    ['"A paragraph with bold words and"'],
    ['link "a link" [d1e11] -> #notes'],
    ['"in it, 中文也行。"'],
    ['listitem: Plain item'],
    ['listitem: "With", button "Remove" [d1e12]'],
    ['table "Prices":'],
    ['row: Name | Price | '],
    ['row: Tea | 1.20 | button "Buy tea" [d1e13]'],
    ['row: Coffee | 2.40 | sold out'],
    ['clickable [d1e14]:'],
    ['heading "Card" level=2'],
    ['button "Act" [d1e15]'],
    ['clickable "Just click me" [d1e16]'],
    ['clickable "Focus me" [d1e17]'],
    ['hint="icon-trash"'],
    ['button "Upload" [d1e19]'],
    ['heading level=2: link "Linked title" [d1e20] -> /long'],
    ['textbox "Note" [d1e21]: written text'],
    ['iframe "Inner" [d1e22]'],
    ['button "Closed" [d1e23] expanded=false'],
    ['tab "One" [d1e24] selected'],
    ['tab "Two" [d1e25]'],
    ['"but this"'],
    ['"(d1e1) is only text."'],
  ])('has the line %s', line => {
    expect(text).toContain(line)
  })

  test('leaves out what is hidden, by whatever means, and secrets', () => {
    expect(text).not.toMatch(/never|hunter2|folded away|document\.title/)
  })

  test('tells which frame of the window an iframe is, and the frame agrees', async () => {
    const { frames, refs } = await rig.call('snapshot')
    expect(frames).toEqual([{ ref: 'd1e22', index: 0 }])
    expect(refs).toBe(25)
    expect(await rig.call('frame')).toEqual({ index: null, url: `${rig.site.url}/page` })
  })

  test('can be reduced to what can be acted on', async () => {
    const interactive = await rig.snapshot({ interactive: true })
    expect(interactive).toContain('button "Buy tea" [d1e13]')
    expect(interactive).toContain('heading "Orders" level=1')
    expect(interactive).not.toMatch(/paragraph|Plain item|Coffee/)
  })

  test('can be taken of one part', async () => {
    const part = await rig.snapshot({ target: 'css=table' })
    expect(part.split('\n')[0]).toBe('table "Prices":')
    expect(part).toContain('button "Buy tea" [d1e13]')
    expect(part).not.toContain('Orders')
  })
})

describe('the budget', () => {
  test('is kept, and the last line says how much is missing and where to look on', async () => {
    const rows = Array.from({ length: 200 }, (_, at) => `<li>Entry ${at} <button>Open ${at}</button></li>`)
    await rig.show(
      `<h1>Top</h1><ul aria-label=Entries>${rows.join('')}</ul><main><p>a</p><p>b</p><p>c</p></main>`,
    )
    const { text, truncated } = await rig.call('snapshot', { max_tokens: 500 })
    const lines = text.split('\n')
    expect(truncated).toBe(true)
    expect(tokensOf(text)).toBeLessThanOrEqual(500)
    const [, missing, ref] =
      /^… (\d+) more lines: after=d1w\d+\.\w+; one part: target=(d1e\d+) \(main\)/.exec(lines.at(-1) ?? '') ??
      []
    expect(Number(missing) + lines.length - 1).toBe(206)
    expect(await rig.snapshot({ target: ref ?? '' })).toBe('main off-screen: "a", "b", "c"')
  })

  test('names the list that was cut when nothing else follows it', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => `<li>Entry ${at}</li>`)
    await rig.show(`<ul aria-label=Entries>${rows.join('')}</ul>`)
    expect(await rig.snapshot({ max_tokens: 150 })).toMatch(/target=d1e1 \(list "Entries"\)$/)
  })

  const LONG = `<h1>Top</h1><main>${Array.from(
    { length: 120 },
    (_, at) =>
      `<section aria-label="Part ${at}"><p>Words of part ${at}</p><button>Open ${at}</button></section>`,
  ).join('')}</main>`

  test('shows first what can be acted on where there is no room for all, and how to read the rest', async () => {
    await rig.show(LONG)
    const { text, truncated } = await rig.call('snapshot', { max_tokens: 2500, interactive: null })
    expect(truncated).toBe(true)
    expect(text).toMatch(/button "Open 119" \[d1e\d+\]\n… 240 lines of text are left out: interactive=false$/)
    expect(await rig.snapshot({ interactive: null, max_tokens: 20_000 })).toContain('Words of part 119')
  })

  test('keeps the words of what acts and has no other name', async () => {
    await rig.show(
      '<table role=grid><tr><td role=gridcell tabindex=-1 onclick="">15<td role=gridcell tabindex=0>16</table>',
    )
    const text = await rig.snapshot({ interactive: true })
    expect(text).toContain('gridcell "15" [d1e1]')
    expect(text).toContain('gridcell "16" [d1e2]')
  })

  test('lets a long page be read on from where it was cut, none of it twice and none missing', async () => {
    await rig.show(LONG)
    const whole = (await rig.snapshot({ max_tokens: 50_000 })).split('\n')
    const read: string[] = []
    let after: string | null = null
    for (let page = 0; page < 40; page += 1) {
      const { text, next }: Snapshot = await rig.call('snapshot', { max_tokens: 400, after })
      expect(tokensOf(text)).toBeLessThanOrEqual(420)
      read.push(...text.split('\n').filter(line => !/^(?:…|\(goes on)/.test(line)))
      if (next === undefined) break
      after = next
    }
    expect(read).toEqual(whole)
  })

  test('finds its place again when the page has changed a little above it', async () => {
    await rig.show(LONG)
    const { text, next = '' } = await rig.call('snapshot', { max_tokens: 400 })
    const last = Number(
      text
        .match(/Open (\d+)/g)
        ?.at(-1)
        ?.slice(5),
    )
    await rig.page.evaluate(() =>
      document.querySelector('h1')?.after(
        ...'abc'.split('').map(each => {
          return Object.assign(document.createElement('p'), { textContent: each })
        }),
      ),
    )
    const rest = await rig.snapshot({ max_tokens: 400, after: next })
    expect(rest).toMatch(/^\(goes on in main/)
    const first = Number(/(?:Open|part|Part) (\d+)/.exec(rest.split('\n').slice(1).join('\n'))?.[1])
    expect(first - last).toBeLessThanOrEqual(1)
    expect(first).toBeGreaterThanOrEqual(last)
  })

  test('goes only as deep as asked and says what lies below', async () => {
    await rig.show(LONG)
    expect(await rig.snapshot({ depth: 1 })).toBe('heading "Top" level=1\nmain: (+360 lines)')
  })

  test('refuses a cursor that is none', async () => {
    expect((await rig.failure('snapshot', { after: 'page 2' })).code).toBe('invalid_args')
  })

  test('can be spent on what is different since the last snapshot alone, over several acts', async () => {
    await rig.show('<button onclick="this.after(\'one \')">Add</button><p>Text</p>')
    expect(await rig.snapshot({ since: true })).toContain('"Text"')
    await rig.call('click', { target: 'text=Add' })
    await rig.call('click', { target: 'text=Add' })
    expect(await rig.snapshot({ since: true })).toBe('+ "one one"')
    expect(await rig.snapshot({ since: true })).toBe('(nothing is different)')
  })

  test('cuts long texts and says so', async () => {
    await rig.show(`<p>${'word '.repeat(100)}</p>`)
    expect(await rig.snapshot()).toMatch(/^"(word ){40}… \(\+299 characters\)"$/)
  })

  test('is not touched by an empty page', async () => {
    await rig.show('')
    expect(await rig.snapshot()).toBe('(the page shows nothing)')
  })
})

describe('trees within trees', () => {
  test('walks open shadow roots and fills slots in their places', async () => {
    await rig.show('<my-card><b slot=title>Title</b>Body <button>Inner</button></my-card>')
    await rig.page.evaluate(() => {
      const root = document.querySelector('my-card')?.attachShadow({ mode: 'open' })
      if (root)
        root.innerHTML = '<h2><slot name=title></slot></h2><div><slot></slot></div><button>Own</button>'
    })
    expect(await rig.snapshot()).toBe(
      'heading "Title" level=2\n"Body"\nbutton "Inner" [d1e1]\nbutton "Own" [d1e2]',
    )
  })

  test('shows nothing but the modal dialog while one is open', async () => {
    await rig.show('<button>Behind</button><dialog id=d><p>Sure?</p><button>Yes</button></dialog>')
    await rig.page.evaluate(() => document.querySelector('dialog')?.showModal())
    expect(await rig.snapshot()).toBe('dialog: "Sure?", button "Yes" [d1e1] focused')
  })

  test('lets the rows of a table unfold where they hold more than a line', async () => {
    await rig.show('<table><tr><td>a</td><td><ul><li>one</li><li>two</li></ul></td></tr></table>')
    expect(await rig.snapshot()).toBe(
      'table:\n  row:\n    cell: a\n    cell:\n      list:\n        listitem: one\n        listitem: two',
    )
  })
})

describe('reading', () => {
  test('tells text, value, name, role, whether it is checked, and where it is', async () => {
    await rig.show('<label for=c>Agree</label><input type=checkbox id=c checked><p id=p>two<br>lines</p>')
    expect(await rig.call('read', { target: 'css=#c' })).toEqual({
      text: '',
      value: null,
      name: 'Agree',
      role: 'checkbox',
      checked: 'true',
      at: { x: expect.any(Number), y: expect.any(Number) },
    })
    expect((await rig.call('read', { target: 'css=#p' })).text).toBe('two\nlines')
    await rig.page.evaluate(() =>
      document.body.insertAdjacentHTML('beforeend', '<p id=far style="margin-top: 9000px">far</p>'),
    )
    expect((await rig.call('read', { target: 'css=#far' })).at).toBeNull()
  })

  test('never tells a password', async () => {
    await rig.show(
      '<input type=password id=p value=hunter2><input id=q autocomplete=new-password value=hunter2>',
    )
    for (const target of ['css=#p', 'css=#q']) {
      expect(JSON.stringify(await rig.call('read', { target }))).not.toContain('hunter2')
    }
  })

  test('gives the markup of the page or of an element, and its storage', async () => {
    await rig.show('<p id=p>x</p>')
    await rig.page.evaluate(() => {
      localStorage.setItem('token', 'abc')
      sessionStorage.setItem('step', '2')
    })
    expect((await rig.call('html', { target: 'css=#p' })).html).toBe('<p id="p">x</p>')
    expect((await rig.call('html')).html).toMatch(/^<html/)
    expect(await rig.call('storage')).toEqual({ local: { token: 'abc' }, session: { step: '2' } })
  })
})
