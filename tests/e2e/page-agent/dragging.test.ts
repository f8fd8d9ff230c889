import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

const sortable = readFileSync(createRequire(import.meta.url).resolve('sortablejs/Sortable.min.js'), 'utf8')

beforeAll(async () => {
  rig = await startAgentRig({
    '/sortable.js': (_, response) =>
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(sortable),
  })
})
afterAll(() => rig.close())

const list = (options: string) => `<style>ul{width:200px}li{height:30px}</style>
<ul id=list><li id=a>一</li><li id=b>二</li><li id=c>三</li><li id=d>四</li></ul><ul id=other><li>x</li></ul>
<script src=/sortable.js></script><script>
  for (const each of document.querySelectorAll('ul')) new Sortable(each, { group: 'all', ${options} })
</script>`

const order = (id: string) =>
  rig.page.evaluate(
    id => [...document.querySelectorAll(`#${id} li`)].map(each => each.textContent).join(''),
    id,
  )

describe('a list that is sorted by dragging', () => {
  test.each([
    ["by the browser's own drag", ''],
    ['by the pointer', 'forceFallback: true, fallbackTolerance: 0'],
  ])('%s puts an item where it is dropped', async (_, options) => {
    await rig.show(list(options))
    const down = await rig.call('drag', { target: 'css=#a', to: 'css=#c' })
    expect(down).toMatchObject({ verdict: 'confirmed', value: 'item 1 is now item 3' })
    expect(await order('list')).toBe('二三一四')
    const up = await rig.call('drag', { target: 'css=#d', to: 'css=#b' })
    expect(up).toMatchObject({ verdict: 'confirmed', value: 'item 4 is now item 1' })
    const away = await rig.call('drag', { target: 'css=#b', to: 'css=#other li' })
    expect(away).toMatchObject({ verdict: 'confirmed', value: 'now item 2 of list "x二" <ul#other>' })
    expect(await order('other')).toBe('x二')
  })
})

describe('a drag as HTML defines it', () => {
  const page = (
    accepts: boolean,
  ) => `<div id=box draggable=true>Box</div><p id=bin style="height:100px">Bin</p><script>
    const seen = []
    for (const name of ['dragstart', 'dragenter', 'dragover', 'drop', 'dragend'])
      document.addEventListener(name, event => { if (seen.at(-1) !== name) seen.push(name) })
    box.ondragstart = event => event.dataTransfer.setData('text/plain', '箱')
    bin.ondragover = event => { if (${accepts}) event.preventDefault() }
    bin.ondrop = event => { event.preventDefault(); bin.textContent = 'got ' + event.dataTransfer.getData('text/plain') }
  </script>`

  test('gives what is dragged to where it is dropped', async () => {
    await rig.show(page(true))
    expect(await rig.call('drag', { target: 'css=#box', to: 'css=#bin' })).toMatchObject({
      verdict: 'confirmed',
    })
    expect(await rig.page.textContent('#bin')).toBe('got 箱')
    const seen = await rig.page.evaluate(
      'seen.filter((name, at) => name !== "dragover" || seen[at - 1] !== "dragover")',
    )
    expect(seen).toEqual(expect.arrayContaining(['dragstart', 'dragenter', 'dragover', 'drop', 'dragend']))
  })

  test('is not confirmed where nothing takes the drop', async () => {
    await rig.show(page(false))
    expect(await rig.call('drag', { target: 'css=#box', to: 'css=#bin' })).toMatchObject({
      verdict: 'unconfirmed',
    })
    expect(await rig.page.textContent('#bin')).toBe('Bin')
  })
})

describe('a place that does not take what is dropped', () => {
  const note = expect.stringContaining('did not take it')

  test('of a list that refuses it is not confirmed, though the item was sorted on the way', async () => {
    for (const options of ['', 'forceFallback: true']) {
      await rig.show(`${list(options)}<script>
        const refusing = Sortable.get(other)
        refusing.option('group', { name: 'all', put: false })
      </script>`)
      const away = await rig.call('drag', { target: 'css=#a', to: 'css=#other li' })
      expect(away).toMatchObject({ verdict: 'unconfirmed' })
      expect(await order('other')).toBe('x')
      if ((await order('list')) !== '一二三四') expect(away).toMatchObject({ note })
    }
  })

  test.each([
    ['says so in a message', `floating.textContent = 'Not here'; floating.hidden = false`],
    ['tells it to screen readers', `told.textContent = 'Draggable was dropped'`],
    ['leaves a mark', `box.dataset.tried = 'yes'; box.className = 'tried'`],
    ['makes its list anew', `around.innerHTML = around.innerHTML`],
  ])('is not confirmed where the page %s', async (_, answer) => {
    await rig.show(`<div id=around><div id=box style="height:30px">Box</div></div>
      <div style="height:50px"></div><p id=bin style="height:50px">Bin</p>
      <p id=floating style="position:fixed;bottom:0" hidden></p><p id=told aria-live=polite></p>
      <script>
        let held = false
        document.addEventListener('pointerdown', () => { held = true })
        document.addEventListener('pointermove', event => { if (held) box.style.transform = 'translate(0, ' + event.clientY + 'px)' })
        document.addEventListener('pointerup', () => { held = false; box.style.transform = ''; ${answer} })
      </script>`)
    expect(await rig.call('drag', { target: 'css=#box', to: 'css=#bin' })).toMatchObject({
      verdict: 'unconfirmed',
    })
  })

  test('is not confirmed because the page had to be scrolled to it', async () => {
    await rig.show(
      '<p id=box>Box</p><div style="height:3000px"></div><p id=bin>Bin</p><div style="height:3000px"></div>',
    )
    expect(await rig.call('drag', { target: 'css=#box', to: 'css=#bin' })).toMatchObject({
      verdict: 'unconfirmed',
    })
  })

  test('is one thing; what takes it and changes by it is another', async () => {
    await rig.show(`<p id=box style="height:30px">Box</p><div style="height:50px"></div><p id=bin style="height:50px">Bin</p>
      <script>document.addEventListener('pointerup', () => { bin.textContent = 'Bin (1)' })</script>`)
    expect(await rig.call('drag', { target: 'css=#box', to: 'css=#bin' })).toMatchObject({
      verdict: 'confirmed',
    })
  })
})

describe('a thing that follows the pointer', () => {
  test('is dragged by an offset, and a slider along its track', async () => {
    await rig.show(`<div id=box style="position:absolute;left:50px;top:50px;width:40px;height:40px;background:red"></div>
      <div id=knob role=slider aria-valuenow=10 style="position:absolute;left:10px;top:200px;width:20px;height:20px;background:blue"></div>
      <script>
        for (const each of [box, knob]) each.onpointerdown = event => {
          each.setPointerCapture(event.pointerId)
          const { left, top } = each.getBoundingClientRect()
          const [dx, dy] = [event.clientX - left, event.clientY - top]
          const move = event => {
            each.style.left = event.clientX - dx + 'px'
            if (each === box) each.style.top = event.clientY - dy + 'px'
            else each.setAttribute('aria-valuenow', Math.round(event.clientX - dx))
          }
          document.addEventListener('pointermove', move)
          document.addEventListener('pointerup', () => document.removeEventListener('pointermove', move), { once: true })
        }
      </script>`)
    expect(await rig.call('drag', { target: 'css=#box', by: { x: 120, y: 30 } })).toMatchObject({
      verdict: 'confirmed',
      value: 'moved by 120, 30 pixels',
    })
    const slid = await rig.call('drag', { target: 'css=#knob', by: { x: 90, y: 0 } })
    expect(slid).toMatchObject({ verdict: 'confirmed', value: '100' })
  })

  test('is scrolled to where it is dropped', async () => {
    await rig.show(`<div id=box draggable=true>Box</div><div style="height:3000px"></div><p id=bin>Bin</p><script>
      bin.ondragover = event => event.preventDefault()
      bin.ondrop = () => { bin.textContent = 'dropped' }
    </script>`)
    expect(await rig.call('drag', { target: 'css=#box', to: 'css=#bin' })).toMatchObject({
      verdict: 'confirmed',
    })
    expect(await rig.page.textContent('#bin')).toBe('dropped')
  })
})
