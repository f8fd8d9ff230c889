import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

const events = () => rig.page.evaluate(() => (globalThis as { events?: string[] }).events ?? [])

describe('clicks of every kind', () => {
  beforeEach(() =>
    rig.show(`<button style="width: 200px; height: 100px">Here</button><script>
      var events = []
      for (const name of ['mousedown', 'click', 'auxclick', 'contextmenu', 'dblclick'])
        addEventListener(name, e => events.push([name, e.button, e.ctrlKey ? 'ctrl' : '', e.shiftKey ? 'shift' : '',
          e.offsetX, e.offsetY].join(' ')))
    </script>`),
  )

  test('with the right button open the menu of the page', async () => {
    await rig.call('click', { target: 'role=button', button: 'right', position: { x: 10, y: 20 } })
    expect(await events()).toEqual(['mousedown 2   10 20', 'contextmenu 2   10 20', 'auxclick 2   10 20'])
  })

  test('with the middle button are no clicks of the left one', async () => {
    await rig.call('click', { target: 'role=button', button: 'middle', position: { x: 1, y: 1 } })
    expect(await events()).toEqual(['mousedown 1   1 1', 'auxclick 1   1 1'])
  })

  test('carry the keys that are held', async () => {
    await rig.call('click', {
      target: 'role=button',
      modifiers: ['Control', 'Shift'],
      position: { x: 5, y: 5 },
    })
    expect(await events()).toEqual(['mousedown 0 ctrl shift 5 5', 'click 0 ctrl shift 5 5'])
  })

  test('at a position that something covers name what is in the way', async () => {
    await rig.page.evaluate(() => {
      document.body.insertAdjacentHTML(
        'beforeend',
        '<div id=lid style="position: fixed; left: 0; top: 0; width: 50px; height: 300px; background: red">lid</div>',
      )
    })
    const failure = await rig.failure('click', { target: 'role=button', position: { x: 10, y: 20 } })
    expect(failure).toMatchObject({ code: 'element_not_ready', params: { reason: /lid/ } })
    await rig.call('click', { target: 'role=button', position: { x: 150, y: 20 } })
    expect(await events()).toContain('click 0   150 20')
  })
})

describe('hovering', () => {
  test('shows what the page shows to a pointer', async () => {
    await rig.show(`<button onmouseenter="tip.hidden = false" onmouseleave="tip.hidden = true">Info</button>
      <p id=tip hidden>Made of bronze</p><button>Other</button>`)
    expect(await rig.call('hover', { target: 'role=button[name="Info"]' })).toMatchObject({
      verdict: 'confirmed',
      effects: ['dom'],
    })
    expect(await rig.snapshot()).toContain('Made of bronze')
    await rig.call('hover', { target: 'role=button[name="Other"]' })
    expect(await rig.snapshot()).not.toContain('Made of bronze')
  })

  test('does not claim what it did not see', async () => {
    await rig.show('<button>Plain</button>')
    expect(await rig.call('hover', { target: 'role=button' })).toMatchObject({
      verdict: 'unconfirmed',
      effects: [],
    })
  })
})

describe('focusing', () => {
  test('is confirmed by where the focus is', async () => {
    await rig.show('<label>Name <input></label><p>plain</p>')
    expect(await rig.call('focus', { target: 'label=Name' })).toMatchObject({ verdict: 'confirmed' })
    expect(await rig.page.evaluate(() => document.activeElement?.localName)).toBe('input')
    const failure = await rig.failure('focus', { target: 'text=plain' })
    expect(failure).toMatchObject({ code: 'element_not_ready', params: { reason: 'it takes no focus' } })
  })
})

describe('scrolling', () => {
  test('moves the page and says when there is no more', async () => {
    await rig.show('<div style="height: 1500px">top</div><p>end</p>')
    const scroll = (direction: 'down' | 'bottom' | 'top') => rig.call('scroll', { direction, pages: 1 })
    expect(await scroll('down')).toMatchObject({ verdict: 'confirmed', effects: ['scroll'] })
    expect(await scroll('bottom')).toMatchObject({ verdict: 'confirmed' })
    expect(await scroll('bottom')).toMatchObject({ verdict: 'unconfirmed', effects: [] })
    expect(await scroll('top')).toMatchObject({ verdict: 'confirmed' })
    expect(await rig.page.evaluate(() => scrollY)).toBe(0)
  })

  test('moves the box around the target, and not the page', async () => {
    await rig.show(
      `<div id=box style="height: 100px; overflow: auto"><div style="height: 600px">first</div></div>
       <div style="height: 3000px"></div>`,
    )
    await rig.call('scroll', { target: 'text=first', direction: 'down', pages: 2 })
    expect(await rig.page.evaluate(() => [document.getElementById('box')?.scrollTop, scrollY])).toEqual([
      200, 0,
    ])
  })

  test('brings an element into view and sees what is loaded then', async () => {
    await rig.show(`<div style="height: 3000px"></div><p id=last>last</p><script>
      new IntersectionObserver(([e]) => e.isIntersecting && last.insertAdjacentHTML('afterend', '<p>more</p>')).observe(last)
    </script>`)
    const result = await rig.call('scroll', { target: 'css=#last' })
    expect(result).toMatchObject({ verdict: 'confirmed' })
    expect(result.effects).toEqual(expect.arrayContaining(['scroll', 'dom']))
    expect(await rig.snapshot()).toContain('more')
  })
})
