import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

describe('what acts without saying so in its markup', () => {
  test.each([
    [
      'a span in running text that has a hand',
      '<p>Read <span style="cursor:pointer">the terms</span> first.</p>',
    ],
    [
      'a span that looks like a link',
      '<p>Read <span style="color:blue;text-decoration:underline">the terms</span> first.</p>',
    ],
    ['a span that a framework listens on', '<p>Read <span @click="open">the terms</span> first.</p>'],
    ['a span with a handler', '<p>Read <span onclick="void 0">the terms</span> first.</p>'],
  ])('%s has a ref of its own', async (_, markup) => {
    await rig.show(markup)
    expect(await rig.snapshot()).toBe('"Read"\nclickable "the terms" [d1e1]\n"first."')
  })

  test('underlined words are no links', async () => {
    await rig.show('<p>Read <u>this</u> and <span style="text-decoration:underline">that</span></p>')
    expect(await rig.snapshot()).toBe('"Read this and that"')
  })

  test.each([
    ['a class', '<i class="icon-trash"></i>', 'icon-trash'],
    ['a picture', '<img alt="" src="/img/bin-open.png?v=3">', 'bin-open.png'],
    ['a symbol of an icon set', '<svg width=9 height=9><use href="/icons.svg#trash"/></svg>', 'trash'],
  ])('a button without a name is told by %s and by its place', async (_, inside, hint) => {
    await rig.show(
      `<button style="position:absolute;left:30px;top:20px;width:50px;height:40px">${inside}</button>`,
    )
    expect(await rig.snapshot()).toBe(`button [d1e1] [30,20,50,40] hint="${hint}"`)
  })

  test('a box without a name is told by its background picture', async () => {
    await rig.show('<div onclick="0" style="width:9px;height:9px;background:url(/img/gear.svg)"></div>')
    expect(await rig.snapshot()).toContain('hint="gear.svg"')
  })

  test('what can be dragged has a ref and says so', async () => {
    await rig.show('<div draggable=true>Card</div>')
    expect(await rig.snapshot()).toBe('clickable "Card" [d1e1] draggable')
  })

  test('what arrows reach has a ref each, whichever of them is in the tab order', async () => {
    await rig.show(
      `<x-tabs><x-tab tabindex=-1>One</x-tab><x-tab tabindex=0>Two</x-tab></x-tabs><p tabindex=-1>Text</p>`,
    )
    expect(await rig.snapshot()).toBe('clickable "One" [d1e1]\nclickable "Two" [d1e2]\n"Text"')
  })

  test('a role out of its context still tells what its author meant it to do', async () => {
    await rig.show('<div role=tab>One</div><div role=option>Red</div>')
    expect(await rig.snapshot()).toBe('tab "One" [d1e1]\noption "Red" [d1e2]')
  })
})

describe('what only style tells', () => {
  test.each([
    ['pale', 'opacity:.4'],
    ['deaf to the pointer', 'pointer-events:none'],
    ['under a cursor that says no', 'cursor:not-allowed'],
  ])('a button that is %s looks disabled', async (_, style) => {
    await rig.show(`<button style="${style}">Go</button><button>Stay</button>`)
    expect(await rig.snapshot()).toBe('button "Go" [d1e1] disabled-looking\nbutton "Stay" [d1e2]')
  })

  test('a box that is not drawn at all looks like nothing: a widget draws it otherwise', async () => {
    await rig.show('<label><input type=checkbox style="opacity:0"> Agree</label>')
    expect(await rig.snapshot()).toBe('checkbox "Agree" [d1e1]')
  })

  test.each([
    ['itself', '<label><input type=checkbox style="opacity:0;pointer-events:none"> Agree</label>'],
    [
      'with what is around it',
      '<label><span style="opacity:0;pointer-events:none"><input type=checkbox></span> Agree</label>',
    ],
  ])('nor does one that takes no pointer behind what a widget draws, hidden by %s', async (_, markup) => {
    await rig.show(markup)
    expect(await rig.snapshot()).toBe('checkbox "Agree" [d1e1]')
  })

  test('the column by which a table is sorted', async () => {
    await rig.show(
      '<table><tr><th aria-sort=descending><button>日期</button></th><th aria-sort=none>Name</th></tr></table>',
    )
    expect(await rig.snapshot()).toContain('row: columnheader sorted=descending: button "日期" [d1e1] | Name')
  })

  test('text that is struck through', async () => {
    await rig.show('<ul><li><s>Milk</s></li><li>Tea</li></ul><p>Now <del>9.99</del> 7.50</p>')
    const text = await rig.snapshot()
    expect(text).toContain('listitem: "Milk" struck\n')
    expect(text).toContain('listitem: Tea\n')
    expect(text).toContain('"Now"\n"9.99" struck\n"7.50"')
  })

  test('the current one of tabs that have no ARIA, by its style and by the word of its class', async () => {
    const bar = (first: string): string =>
      `<style>.active{background:gold}</style><div>
        <a href=/a ${first}>A</a><a href=/b>B</a><a href=/c>C</a></div>`
    await rig.show(bar('class="tab--active active"'))
    expect(await rig.snapshot()).toMatch(/link "A" \[d1e1\] stands-out="active" -> \/a\n.*B" \[d1e2\] ->/)
    await rig.show(bar('style="background:gold"'))
    expect(await rig.snapshot()).toMatch(/link "A" \[d1e1\] stands-out -> \/a/)
    await rig.show(bar('').replace('href=/c', 'href=/c aria-current=page style="background:gold"'))
    expect(await rig.snapshot()).not.toContain('stands-out')
  })

  test('the main one of some buttons is not taken for the current one', async () => {
    await rig.show('<button style="background:blue">Save</button><button>Close</button><button>Help</button>')
    expect(await rig.snapshot()).not.toContain('stands-out')
  })
})

describe('what cannot be reached as things are', () => {
  test('is covered, clipped or off the page', async () => {
    await rig.show(`<button style="position:absolute;left:0;top:0">Under</button>
      <div style="position:absolute;left:0;top:0;width:300px;height:60px;background:red"></div>
      <div style="position:absolute;top:100px;width:100px;height:40px;overflow:hidden">
        <button style="position:absolute;left:200px">Slide</button></div>
      <button style="position:absolute;left:-999px">Away</button>`)
    expect(await rig.snapshot()).toBe(
      [
        'button "Under" [d1e1] covered',
        'button "Slide" [d1e2] clipped',
        'button "Away" [d1e3] off-screen off-page',
      ].join('\n'),
    )
  })

  test('is off the screen from one item on, until one is on it again', async () => {
    await rig.show(`<ul>${'<li style="height:50px">Item</li>'.repeat(40)}</ul>
      <button style="position:fixed;top:0;right:0">Fixed</button>`)
    const lines = (await rig.snapshot()).split('\n')
    const marked = lines.filter(line => line.includes('-screen'))
    expect(marked).toEqual(['  listitem off-screen: Item'])
    await rig.page.evaluate(() => scrollTo(0, 1e6))
    const after = (await rig.snapshot()).split('\n').filter(line => line.includes('-screen'))
    expect(after).toEqual(['  listitem off-screen: Item', '  listitem on-screen: Item'])
  })
})

describe('dates and times', () => {
  test('tell how their segments are written as one value, as long as there is none', async () => {
    await rig.show('<input type=date aria-label=Day><input type=time aria-label=At value=10:30>')
    expect(await rig.snapshot()).toBe(
      'textbox "Day" [d1e1] type=date form=yyyy-mm-dd\ntextbox "At" [d1e2] type=time: 10:30',
    )
  })
})

describe('with boxes', () => {
  test('texts, items and all else have refs and places, by which they can be dragged and selected', async () => {
    await rig.show(`<style>body{margin:0;font:16px/20px monospace} p,ul,li{margin:0;padding:0;list-style:none}</style>
      <p>One <b>bold</b></p><ul><li>Two</li></ul>`)
    const text = await rig.snapshot({ boxes: true })
    expect(text).toMatch(/^"One bold" \[d1e1\] \[0,0,\d+,\d+\]\n/)
    expect(text).toMatch(/\n {2}listitem \[d1e\d\] \[0,20,\d+,20\]: Two$/)
    expect((await rig.call('read', { target: 'd1e1' })).text).toBe('One bold')
  })

  test('leave what is told of changes afterwards as it is', async () => {
    await rig.show('<p>Text</p><button onclick="this.textContent = 1">Go</button>')
    await rig.snapshot()
    await rig.snapshot({ boxes: true })
    const { changes } = await rig.call('click', { target: 'text=Go' })
    expect(changes).toMatch(/^~ button "1" \[d1e\d\] focused$/)
  })
})

describe('with graphics', () => {
  test('shapes are told by kind, colour and place', async () => {
    await rig.show(`<style>body{margin:0}</style><svg width=200 height=100 style="display:block">
      <circle cx=20 cy=20 r=10 fill=red /><rect x=40 y=10 width=20 height=20 fill="#0000ff" />
      <polygon points="100,10 110,30 90,30" fill=green /><text x=150 y=20>Hi</text></svg>
      <div style="width:30px;height:30px;border-radius:50%;background:orange"></div>
      <button style="background:#ff0000">Go</button>`)
    const text = await rig.snapshot({ graphics: true })
    expect(text).toMatch(/circle \[d1e\d\] \[10,10,20,20\] red #ff0000/)
    expect(text).toMatch(/square \[d1e\d\] \[40,10,20,20\] blue #0000ff/)
    expect(text).toMatch(/triangle \[d1e\d\] \[90,10,20,20\] green #008000/)
    expect(text).toMatch(/circle \[d1e\d\] \[0,100,30,30\] orange #ffa500/)
    expect(text).toMatch(/button "Go" \[d1e\d\] red #ff0000/)
    expect(text).toMatch(/text \[d1e\d\] \[150,\d+,\d+,\d+\] black #000000: Hi/)
    const circle = /circle \[(d1e\d)\]/.exec(text)?.[1] ?? ''
    expect((await rig.call('click', { target: circle })).verdict).toBe('unconfirmed')
    expect(await rig.snapshot()).not.toContain('circle')
  })
})

describe('one part', () => {
  test('begins with the element that was asked for, whatever it is', async () => {
    await rig.show('<div id=box><p>Text</p><button>Go</button></div>')
    expect(await rig.snapshot({ target: 'css=#box' })).toBe('generic: "Text", button "Go" [d1e1]')
  })
})
