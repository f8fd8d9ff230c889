import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

const press = (key: string, target: string | null = null) => rig.call('press', { key, target })
const focused = () => rig.page.evaluate(() => document.activeElement?.id)
const titleIs = () => rig.page.title()

describe('keys', () => {
  test('come with the names and codes of a keyboard', async () => {
    await rig.show(
      '<input id=i aria-label=I><script>window.keys = []; addEventListener("keydown", e => keys.push([e.key, e.code, e.keyCode, e.ctrlKey, e.shiftKey].join()))</script>',
    )
    for (const key of ['a', 'Shift+a', 'Control+Enter', 'ArrowDown', 'Space', 'F5', 'Control++', 'é'])
      await press(key, 'css=#i')
    expect(await rig.page.evaluate(() => (globalThis as { keys?: string[] }).keys)).toEqual([
      'a,KeyA,65,false,false',
      'A,KeyA,65,false,true',
      'Enter,Enter,13,true,false',
      'ArrowDown,ArrowDown,40,false,false',
      ' ,Space,32,false,false',
      'F5,F5,116,false,false',
      '+,Equal,187,true,false',
      'é,,0,false,false',
    ])
  })

  test('that do nothing are not confirmed', async () => {
    await rig.show('<button>x</button>')
    expect(await press('F7')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
  })

  test.each(['Entr', 'Hyper+a', 'ab'])('of no keyboard are refused: %s', async key => {
    await rig.show('')
    expect((await rig.failure('press', { key })).code).toBe('invalid_args')
  })

  test('whose default the page prevents do nothing more', async () => {
    await rig.show('<input id=a onkeydown="event.preventDefault()"><input id=b>')
    expect(await press('x', 'css=#a')).toMatchObject({ verdict: 'unconfirmed', value: '' })
    await press('Tab', 'css=#a')
    expect(await focused()).toBe('a')
  })
})

describe('Enter and Space', () => {
  test('activate a button once', async () => {
    await rig.show('<button id=b onclick="document.title += \'!\'">Go</button>')
    await rig.page.evaluate(() => {
      document.title = 't'
    })
    expect(await press('Enter', 'css=#b')).toMatchObject({ verdict: 'unconfirmed' })
    await press('Space', 'css=#b')
    expect(await titleIs()).toBe('t!!')
  })

  test('follow a link, toggle a checkbox and submit a form', async () => {
    await rig.show(
      '<a id=a href="#there">x</a><input type=checkbox id=c aria-label=C><form onsubmit="event.preventDefault();out.textContent=\'sent\'"><input id=i></form><p id=out></p>',
    )
    expect(await press('Enter', 'css=#a')).toMatchObject({
      verdict: 'confirmed',
      url: expect.stringMatching(/#there$/),
    })
    expect(await press('Space', 'css=#c')).toMatchObject({
      verdict: 'confirmed',
      effects: ['checked'],
      value: 'checked',
    })
    expect(await press('Enter', 'css=#i')).toMatchObject({ verdict: 'confirmed', effects: ['dom'] })
  })

  test('write into text areas and editors', async () => {
    await rig.show('<textarea id=t>a</textarea><div id=e contenteditable>b</div>')
    await press('End', 'css=#t')
    expect(await press('Enter')).toMatchObject({ verdict: 'confirmed', value: 'a\n' })
    await press('Control+a', 'css=#e')
    await press('c')
    await press('Space')
    await press('d')
    expect((await rig.call('read', { target: 'css=#e' })).value).toBe('c d')
  })
})

describe('Tab', () => {
  test('moves the focus in the order of the page, and back', async () => {
    await rig.show(
      '<input id=a><button id=off disabled>x</button><div id=b tabindex=0>x</div><input id=skip tabindex=-1><input type=radio name=r id=r1><input type=radio name=r id=r2 checked><input id=first tabindex=1>',
    )
    const order: (string | undefined)[] = []
    for (let at = 0; at < 5; at += 1) {
      expect(await press('Tab')).toMatchObject({ verdict: 'confirmed', effects: ['focus'] })
      order.push(await focused())
    }
    expect(order).toEqual(['first', 'a', 'b', 'r2', 'first'])
    await press('Shift+Tab')
    expect(await focused()).toBe('r2')
  })
})

describe('Escape', () => {
  test('closes a modal dialog unless the page prevents it', async () => {
    await rig.show('<dialog id=d><button>x</button></dialog>')
    await rig.page.evaluate(() => document.querySelector('dialog')?.showModal())
    expect(await press('Escape')).toMatchObject({ verdict: 'confirmed' })
    expect(await rig.page.evaluate(() => document.querySelector('dialog')?.open)).toBe(false)
  })
})

describe('arrows', () => {
  test('choose in lists and radio groups and move sliders', async () => {
    await rig.show(
      '<select id=s><option>a<option disabled>b<option>c</select><input type=radio name=r id=r1 checked><input type=radio name=r id=r2><input type=range id=g value=5 max=10>',
    )
    expect(await press('ArrowDown', 'css=#s')).toMatchObject({ verdict: 'confirmed', value: 'c' })
    expect(await press('ArrowRight', 'css=#r1')).toMatchObject({
      verdict: 'confirmed',
      effects: ['checked', 'focus'],
    })
    expect(await rig.page.evaluate(() => (document.querySelector('#r2') as HTMLInputElement).checked)).toBe(
      true,
    )
    expect(await press('ArrowUp', 'css=#g')).toMatchObject({ verdict: 'confirmed', value: '6' })
    expect(await press('End', 'css=#g')).toMatchObject({ value: '10' })
  })

  test('scroll the page where nothing else has the focus', async () => {
    await rig.show('<div style="height:5000px">tall</div>')
    expect(await press('End')).toMatchObject({ verdict: 'confirmed', effects: ['scroll'] })
    expect(await rig.page.evaluate(() => scrollY)).toBeGreaterThan(1000)
  })
})

describe('editing keys', () => {
  test('delete, select all and move the caret', async () => {
    await rig.show('<input id=i value=hello>')
    await press('End', 'css=#i')
    expect(await press('Backspace')).toMatchObject({ verdict: 'confirmed', value: 'hell' })
    await press('Home')
    expect(await press('Delete')).toMatchObject({ value: 'ell' })
    await press('ArrowRight')
    expect(await press('x')).toMatchObject({ value: 'exll' })
    await press('Control+a')
    expect(await press('Delete')).toMatchObject({ value: '' })
  })
})
