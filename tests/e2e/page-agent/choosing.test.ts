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

describe('what stands in for a box', () => {
  test('is its label where all of them lie in one place', async () => {
    await rig.show(`<style>input { position: absolute; left: 8px; opacity: 0 } label { display: inline-block; width: 30px }</style>
      ${[1, 2, 3].map(n => `<label for=s${n}>${n}</label><input type=radio name=stars id=s${n} aria-label="${n} stars">`).join('')}`)
    const result = await rig.call('check', { target: 'role=radio[name="3 stars"]', checked: true })
    expect(result).toMatchObject({ verdict: 'confirmed', value: 'checked' })
    expect(await pageValue("document.querySelector(':checked').id")).toBe('s3')
  })

  test('is named by the label of the custom element that it lies in', async () => {
    await rig.show(`<label>Agree <x-box></x-box></label><script>
      customElements.define('x-box', class extends HTMLElement {
        static formAssociated = true
        constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<input type=checkbox>' }
      })</script>`)
    expect(await rig.snapshot()).toContain('checkbox "Agree" [d1e')
    const result = await rig.call('check', { target: 'role=checkbox[name="Agree"]', checked: true })
    expect(result).toMatchObject({ verdict: 'confirmed' })
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

describe('lists as widget libraries make them', () => {
  /** A combobox with a script of its own; `took` is what the app has, `draw` sets the options that are there now. */
  const list = (control: string, markup: string, script: string): string => `${control}${markup}<script>
    const c = document.querySelector('[role=combobox]'), l = document.getElementById('l')
    let took = [], opened = 0
    const open = yes => { opened += yes; c.setAttribute('aria-expanded', yes); l.hidden = !yes }
    const draw = (names, take) => {
      l.replaceChildren(...names.map(name => {
        const o = document.createElement('div')
        o.textContent = name
        o.setAttribute('role', 'option')
        o.onclick = () => take(name, o)
        return o
      }))
    }
    ${script}</script>`
  const INPUT =
    '<div id=field><input role=combobox aria-label=Pick aria-expanded=false aria-controls=l></div>'
  const BUTTON = '<button role=combobox aria-label=Pick aria-expanded=false aria-controls=l></button>'
  const LIST = '<div role=listbox id=l hidden></div>'
  const choose = (...options: string[]) => rig.call('select', { target: 'role=combobox', options })
  const refusal = (...options: string[]) => rig.failure('select', { target: 'role=combobox', options })

  test('are chosen from by what is drawn, where the list itself is for screen readers alone', async () => {
    await rig.show(`<style>#field { position: relative; width: 200px } #field span { position: absolute; inset: 0 }</style>
      <div id=field><input role=combobox aria-label=Pick aria-expanded=false aria-controls=sr></div>
      <div id=l hidden><div role=listbox id=sr style="height:0;overflow:hidden"><div role=option>a</div></div>
        <div class=item style="cursor:pointer">Berlin</div><div class=item style="cursor:pointer">上海</div></div>
      <script>
        field.onmousedown = () => { l.hidden = false }
        for (const item of document.querySelectorAll('.item')) item.onclick = () => {
          field.querySelector('span')?.remove()
          field.insertAdjacentHTML('beforeend', '<span>' + item.textContent + '</span>')
          l.hidden = true
        }
      </script>`)
    expect(await choose('上海')).toMatchObject({ verdict: 'confirmed' })
    // What shows the choice lies over the control now.
    expect(await choose('Berlin')).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue('field.innerText')).toBe('Berlin')
  })

  test.each([
    ['at once', 'rows()'],
    ['late, as a busy page does', 'setTimeout(rows, 120)'],
  ])('are scrolled to an option that is drawn %s', async (_, redraw) => {
    await rig.show(
      list(
        BUTTON,
        '<div id=l hidden role=listbox style="height:100px;overflow:auto"><div id=all style="height:10000px;position:relative"></div></div>',
        `const rows = () => {
          const first = Math.floor(l.scrollTop / 20)
          all.innerHTML = Array.from({ length: 6 }, (_, n) => '<div role=option style="position:absolute;height:20px;top:' +
            (first + n) * 20 + 'px">Item ' + (first + n) + '</div>').join('')
        }
        l.onscroll = () => ${redraw}
        all.onclick = event => { c.textContent = event.target.textContent; open(false) }
        c.onclick = () => { open(true); rows() }`,
      ),
    )
    expect(await choose('Item 133')).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue('c.textContent')).toBe('Item 133')
  })

  test('are searched where options come by what is typed, and keep their text where none comes', async () => {
    await rig.show(
      list(
        INPUT,
        LIST,
        `c.oninput = () => {
          open(true)
          draw(['Zürich', '東京'].filter(name => c.value !== '' && name.includes(c.value)), name => { took = name; c.value = name; open(false) })
        }`,
      ),
    )
    expect(await choose('東京')).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue('took')).toBe('東京')
    expect(await refusal('Bern')).toMatchObject({ code: 'element_not_found' })
    expect(await pageValue('[took, c.value]')).toEqual(['東京', '東京'])
  })

  test('have options that stand in slots', async () => {
    await rig.show(`<div id=host><div role=option>Cat</div><div role=option>Dog</div></div><script>
      const root = host.attachShadow({ mode: 'open' })
      root.innerHTML = '<button role=combobox aria-controls=l aria-expanded=false>-</button><div role=listbox id=l hidden><slot></slot></div>'
      const [c, l] = root.children
      c.onclick = () => { l.hidden = false }
      for (const o of host.children) o.onclick = () => { c.textContent = o.textContent; l.hidden = true }
    </script>`)
    expect(await choose('Dog')).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue("host.shadowRoot.querySelector('button').textContent")).toBe('Dog')
  })

  test('take several where a field that is empty again shows what was chosen beside it', async () => {
    await rig.show(
      list(
        INPUT,
        LIST,
        `c.onclick = () => { open(true); draw(['S', 'M', '大'], name => {
          took.push(name)
          field.insertAdjacentHTML('afterbegin', '<button>' + name + '</button>')
          open(false)
        }) }`,
      ),
    )
    expect(await choose('S', '大')).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue('took')).toEqual(['S', '大'])
  })

  test('take several and no others where they say so, and else one', async () => {
    const toggling = (several: boolean): string =>
      list(
        BUTTON,
        `<div role=listbox id=l hidden ${several ? 'aria-multiselectable=true' : ''}></div>`,
        `c.onclick = () => { open(true); draw(['S', 'M', 'L'], (name, o) => {
          took = took.includes(name) ? took.filter(each => each !== name) : [...took, name]
          o.setAttribute('aria-selected', took.includes(name))
          c.textContent = took.join(', ')
          if (!${several}) open(false)
        }) }`,
      )
    await rig.show(toggling(true))
    expect(await choose('S', 'L')).toMatchObject({ verdict: 'confirmed', note: /still open/ })
    expect(await choose('L', 'M')).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue('took')).toEqual(['L', 'M'])
    await rig.show(toggling(false))
    expect(await refusal('S', 'L')).toMatchObject({ params: { reason: /one option only, and was given S/ } })
    expect(await pageValue('took')).toEqual(['S'])
  })

  test('take several where they close after each and offer it no more', async () => {
    await rig.show(
      list(
        BUTTON,
        LIST,
        `c.onclick = () => { open(true); draw(['S', 'M', 'L'].filter(name => !took.includes(name)), name => {
          took.push(name)
          c.textContent = took.join(', ')
          open(false)
        }) }`,
      ),
    )
    expect(await choose('S', 'L')).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue('took')).toEqual(['S', 'L'])
  })

  test('are not believed to have chosen what the keys are at only', async () => {
    await rig.show(
      list(
        INPUT,
        LIST,
        `c.onclick = () => {
          open(true)
          draw(['Large', 'Small'], name => { took.push(name); c.value = name; open(false) })
          l.firstChild.id = 'first'
          l.firstChild.setAttribute('aria-selected', 'true')
          c.setAttribute('aria-activedescendant', 'first')
        }`,
      ),
    )
    expect(await choose('Large')).toMatchObject({ verdict: 'confirmed' })
    expect(await pageValue('took')).toEqual(['Large'])
  })

  test('are not confirmed where they show what holds the same words, and left alone where they show it', async () => {
    await rig.show(
      list(
        BUTTON,
        LIST,
        "c.textContent = 'Extra large'; c.onclick = () => { open(true); draw(['Large'], () => open(false)) }",
      ),
    )
    expect(await choose('Large')).toMatchObject({ verdict: 'unconfirmed' })
    expect(await choose('Extra large')).toMatchObject({ verdict: 'confirmed', effects: [] })
    expect(await pageValue('opened')).toBe(1)
  })
})
