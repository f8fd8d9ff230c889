import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

const pageValue = (expression: string) => rig.page.evaluate(expression)

describe('checking', () => {
  test('brings a box into the state that is asked for, and clicks nothing when it is in it', async () => {
    await rig.show('<label><input type=checkbox onclick="this.clicks = (this.clicks ?? 0) + 1"> 同意</label>')
    const check = (checked: boolean) => rig.call('check', { target: 'label=同意', checked })
    expect(await check(true)).toMatchObject({ verdict: 'confirmed', value: 'checked' })
    expect(await check(true)).toMatchObject({ verdict: 'confirmed', effects: [] })
    expect(await check(false)).toMatchObject({ verdict: 'confirmed', value: 'unchecked' })
    expect(await pageValue("document.querySelector('input').clicks")).toBe(2)
  })

  test('works on a switch that is none of the browser', async () => {
    await rig.show(
      `<div role=switch tabindex=0 aria-checked=false aria-label=Night
         onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">o</div>`,
    )
    const result = await rig.call('check', { target: 'role=switch[name="Night"]', checked: true })
    expect(result).toMatchObject({ verdict: 'confirmed', value: 'checked' })
  })

  test('says so when the page puts the old state back', async () => {
    await rig.show(
      '<label><input type=checkbox onclick="setTimeout(() => { this.checked = false })"> Stay</label>',
    )
    const result = await rig.call('check', { target: 'label=Stay', checked: true })
    expect(result).toMatchObject({ verdict: 'failed', value: 'unchecked' })
  })

  test('refuses to uncheck a radio button, and what cannot be checked at all', async () => {
    await rig.show('<label><input type=radio name=a checked> One</label><button>Go</button>')
    const radio = await rig.failure('check', { target: 'label=One', checked: false })
    expect(radio).toMatchObject({ code: 'element_not_ready', params: { reason: /another one of its group/ } })
    const button = await rig.failure('check', { target: 'role=button', checked: true })
    expect(button).toMatchObject({ code: 'element_not_ready' })
  })
})

describe('choosing', () => {
  const SIZES = '<label>Sizes <select multiple><option>S<option>M<option value=large>L</select></label>'

  test('chooses exactly the options of a native list that are asked for, by label or value', async () => {
    await rig.show(SIZES)
    const target = 'label=Sizes'
    expect(await rig.call('select', { target, options: ['S', 'large'] })).toMatchObject({
      verdict: 'confirmed',
    })
    expect(
      await pageValue("[...document.querySelector('select').selectedOptions].map(o => o.label)"),
    ).toEqual(['S', 'L'])
    await rig.call('select', { target, options: ['M'] })
    expect(await pageValue("document.querySelector('select').value")).toBe('M')
  })

  test('names the nearest options when there is none of that name', async () => {
    await rig.show('<label>City <select><option>東京<option>東海<option>Kyoto</select></label>')
    const failure = await rig.failure('select', { target: 'label=City', options: ['東京都'] })
    expect(failure).toMatchObject({ code: 'element_not_found' })
    expect(failure.params.nearest).toContain('東京')
  })

  const COMBOBOX = `
    <button role=combobox aria-haspopup=listbox aria-expanded=false aria-controls=l id=c>Choose</button>
    <ul role=listbox id=l hidden></ul>
    <script>
      const c = document.getElementById('c'), l = document.getElementById('l')
      c.onclick = () => {
        c.setAttribute('aria-expanded', 'true')
        l.hidden = false
        // Options come later, as from a server.
        setTimeout(() => {
          l.innerHTML = ['Red', 'Green', 'Blue'].map(n => '<li role=option>' + n).join('')
          for (const o of l.children) o.onclick = () => {
            c.textContent = o.textContent
            c.setAttribute('aria-expanded', 'false')
            l.hidden = true
          }
        }, 50)
      }
    </script>`

  test('opens a combobox that a page has made itself, waits for its options and takes one', async () => {
    await rig.show(COMBOBOX)
    const result = await rig.call('select', { target: 'role=combobox', options: ['Green'] })
    expect(result).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue("document.getElementById('c').textContent")).toBe('Green')
  })

  test('names the options of such a list when there is none of that name', async () => {
    await rig.show(COMBOBOX)
    const failure = await rig.failure('select', { target: 'role=combobox', options: ['Gren'] })
    expect(failure).toMatchObject({ code: 'element_not_found' })
    expect(failure.params.nearest).toContain('Green')
  })

  test('refuses what is no list', async () => {
    await rig.show('<button>Go</button>')
    const failure = await rig.failure('select', { target: 'role=button', options: ['x'] })
    expect(failure).toMatchObject({ code: 'element_not_ready', params: { reason: /no list/ } })
  })
})
