import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActResult } from '../../shared/values.ts'
import { FIREFOX } from '../support/firefox.ts'
import { type FirefoxRig, startFirefoxRig } from '../support/firefox-rig.ts'
import { startPageServer } from '../support/page-server.ts'
import { describeNeeding } from '../support/requirement.ts'

/** Every listener tells in `output` what reached it: what an act says is compared with what the page saw. */
const ACTS = `<!doctype html><meta charset=utf-8><title>Acts 动</title><output></output>
<button id=button onclick="told('clicked')">Do it</button>
<label>Name <input oninput="told('typed ' + this.value)"></label>
<label>Colour <select onchange="told('chose ' + this.value)"><option>Red<option>Green</select></label>
<label><input type=checkbox onchange="told('checked ' + this.checked)"> Agree</label>
<input aria-label=Keys onkeydown="if (event.key === 'Enter') told('entered ' + this.value)">
<div role=button tabindex=0 style="width:90px" onmouseenter="sub.hidden = false">Menu<a id=sub hidden href=#x>Inside</a></div>
<label>File <input type=file onchange="told('file ' + this.files[0].name + ' ' + this.files[0].size)"></label>
<div id=editor contenteditable role=textbox aria-label=Editor style="height:40px"></div>
<div id=card draggable=true role=button ondragstart="event.dataTransfer.setData('text/plain', 'card 1')">Card</div>
<div id=bin role=group aria-label=Bin style="height:60px" ondragover="event.preventDefault()"
  ondrop="event.preventDefault(); const { files } = event.dataTransfer;
    if (files.length === 0) this.append(card);
    told('dropped ' + (files[0]?.name ?? event.dataTransfer.getData('text/plain')))">Bin</div>
<div id=box role=region tabindex=0 aria-label=Box style="height:100px;overflow:auto" onscroll="this.onscroll = null; told('scrolled')">
  <div style="height:900px">Tall</div></div>
<ul></ul><button onclick="render()">Render</button><div style="height:3000px"></div><p id=end>The end</p>
<script>
  const told = text => { document.querySelector('output').textContent = text }
  let round = 0
  const render = () => {
    round += 1
    document.querySelector('ul').innerHTML = ['Apple', 'Pear'].map(name =>
      '<li><button onclick="told(\\'' + name + ' of round ' + round + '\\')">' + name + '</button>').join('')
  }
  render()
  addEventListener('paste', event => {
    const [file] = event.clipboardData.files
    const text = event.clipboardData.getData('text/plain')
    if (file === undefined && text !== 'taken') return
    event.preventDefault()
    told('pasted ' + (file?.name ?? text))
  })
</script>`

let rig: FirefoxRig

describeNeeding(FIREFOX, 'acting in a hidden tab of Firefox', () => {
  beforeAll(async () => {
    rig = await startFirefoxRig(startPageServer({ '/acts': ACTS }))
    const folder = join(rig.product.env.unicliHome, 'files')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, '照片.png'), 'not really a picture')
    await rig.open('acts', '/acts')
    await rig.does('acts', 'browser.snapshot')
    expect(await rig.evaluate('acts', 'document.visibilityState')).toBe('hidden')
  })
  afterAll(() => rig?.close())

  const act = (command: string, args: Record<string, unknown>) =>
    rig.does<ActResult>('acts', `browser.${command}`, args)
  const shown = () => rig.evaluate<string>('acts', 'document.querySelector("output").textContent')

  test.each([
    ['click', { target: 'role=button[name="Do it"]' }, 'clicked'],
    ['type', { target: 'label=Name', text: '竹 bamboo' }, 'typed 竹 bamboo'],
    ['select_option', { target: 'label=Colour', option: 'Green' }, 'chose Green'],
    ['check', { target: 'label=Agree' }, 'checked true'],
    ['press', { target: 'label=Keys', key: 'Enter' }, 'entered'],
    ['scroll', { target: 'css=#box', direction: 'down' }, 'scrolled'],
    ['upload', { target: 'label=File', path: '照片.png' }, 'file 照片.png 20'],
    ['upload', { target: 'css=#bin', path: '照片.png' }, 'dropped 照片.png'],
    ['paste', { target: 'css=#editor', path: '照片.png' }, 'pasted 照片.png'],
    ['paste', { target: 'css=#editor', text: 'taken' }, 'pasted taken'],
    ['drag', { target: 'css=#card', to: 'css=#bin' }, 'dropped card 1'],
  ])(
    '%s is confirmed by what the page shows otherwise, which the answer tells',
    async (command, args, line) => {
      const { verdict, changes, hand } = await act(command, args)
      expect({ verdict, hand }).toEqual({ verdict: 'confirmed', hand: 'dom' })
      expect(changes).toMatch(new RegExp(`[+~] status[^:]*: ${line}`))
      expect((await shown()).trim()).toContain(line)
    },
  )

  test('hovering opens a menu, and scrolling brings an element into view', async () => {
    const hovered = await act('hover', { target: 'text=Menu' })
    expect(hovered).toMatchObject({
      verdict: 'confirmed',
      changes: expect.stringContaining('+   link "Inside"'),
    })
    expect(await act('scroll', { target: 'css=#end' })).toMatchObject({ verdict: 'confirmed' })
    expect(await rig.evaluate('acts', 'scrollY')).toBeGreaterThan(1000)
  })

  test('text goes into an editor: typed, in lines, after what is there, pasted, and taken out', async () => {
    const target = 'css=#editor'
    for (const [command, args, value] of [
      ['type', { text: '笔记 one' }, '笔记 one'],
      ['type', { text: 'first\nsecond' }, 'first\nsecond'],
      ['type', { text: ' and on', replace: false }, 'first\nsecond and on'],
      ['clear', {}, ''],
      ['paste', { html: '<b>bold</b>', text: 'bold' }, 'bold'],
    ] as const)
      expect(await act(command, { target, ...args })).toMatchObject({ verdict: 'confirmed', value })
    expect(await rig.evaluate('acts', 'editor.querySelector("b").textContent')).toBe('bold')
  })

  test('what the page asks while it is acted on is answered as the caller says, and told', async () => {
    const ask = `document.querySelector('#button').onclick = () => { alert('Look'); told(confirm('Sure 吗?') + ' ' + prompt('Name?', 'Ann')) }`
    await rig.evaluate('acts', `void (${ask})`)
    const target = 'css=#button'
    const refused = await act('click', { target })
    expect(refused).toMatchObject({
      effects: expect.arrayContaining(['dialog']),
      dialogs: [
        { kind: 'alert', message: 'Look', answer: 'accepted' },
        {
          kind: 'confirm',
          message: 'Sure 吗?',
          answer: 'dismissed',
          hint: expect.stringContaining('"accept"'),
        },
        { kind: 'prompt', message: 'Name?', suggested: 'Ann', answer: 'dismissed' },
      ],
    })
    expect(await shown()).toBe('false null')
    expect(await act('click', { target, dialogs: 'accept' })).toMatchObject({ verdict: 'confirmed' })
    expect(await shown()).toBe('true Ann')
    expect(await rig.evaluate('acts', "[confirm('Again?'), prompt('Who?', 'Ann')]")).toEqual([false, null])
    const script = { expression: "prompt('Who?', 'Ann')", dialogs: 'accept' }
    expect(await rig.does('acts', 'browser.evaluate', script)).toBe('Ann')
    const own = 'String(confirm) + Object.getOwnPropertyDescriptor(window, "confirm").value.name'
    expect(await rig.evaluate('acts', own)).toMatch(/^function confirm\(\) \{\s+\[native code\]\s+\}confirm$/)
    expect((await rig.run('acts', 'browser.click', { target, dialogs: 'ask' })).error).toMatchObject({
      code: 'unsupported',
      suggestion: expect.stringContaining('dialogs "accept"'),
    })
  })

  test('a paste that nobody takes is not called confirmed', async () => {
    const { verdict } = await act('paste', { target: 'role=button[name="Do it"]', text: 'nobody' })
    expect(verdict).toBe('unconfirmed')
  })

  test('a snapshot tells refs and then only what is different, and a ref holds over a re-render', async () => {
    const { text } = await rig.does<{ text: string }>('acts', 'browser.snapshot')
    const [, ref] = /button "Pear" \[(d\d+e\d+)\]/.exec(text) ?? []
    const { found } = await rig.does<{ found: { ref: string }[] }>('acts', 'browser.find', {
      role: 'button',
      name: 'Pear',
    })
    expect(found).toMatchObject([{ ref, path: 'list > listitem' }])
    await act('click', { target: 'role=button[name="Render"]' })
    const { changes } = await act('click', { target: ref })
    expect(changes).toMatch(/status[^:]*: Pear of round 2/)
    const later = await rig.does<{ text: string }>('acts', 'browser.snapshot', { since: true })
    expect(later.text).toMatch(/status[^:]*: Pear of round 2/)
    expect(later.text).not.toContain('"Name"')
  })

  test.each([
    ['browser.click', { target: 'css=#button', hand: 'cdp' }, "The browser's own input", /Leave hand out/],
    ['browser.print', {}, 'Printing', /browser\.screenshot/],
    ['browser.emulate', { device: 'iphone-15' }, 'Emulation', /browser\.launch/],
    ['browser.evaluate', { expression: '1', world: 'isolated' }, 'The isolated world', /Leave world out/],
  ])(
    '%s with what only a debugger can do is refused and says what to do',
    async (operation, args, what, hint) => {
      const { error, exit_code } = await rig.run('acts', operation, args)
      expect(error).toMatchObject({
        code: 'unsupported',
        message: `${what} is not possible in Firefox.`,
        suggestion: expect.stringMatching(hint),
      })
      expect(exit_code).toBe(69)
    },
  )
})
