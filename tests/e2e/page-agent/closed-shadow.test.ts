import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig({}, true)
  await rig.show(`<closed-box>Slotted <b slot=more>words</b></closed-box><script>
    const root = document.querySelector('closed-box').attachShadow({ mode: 'closed' })
    root.innerHTML = '<p>Before <slot></slot><slot name=more></slot></p><label>Field <input></label><button>Inside</button><div style="cursor:pointer">Hand</div>'
    root.querySelector('button').addEventListener('click', () => root.append('clicked'))
    root.querySelector('div').addEventListener('click', event => { event.target.textContent = 'Grabbed' })
  </script>`)
})
afterAll(() => rig.close())

test('sees what lies in closed shadow roots', async () => {
  expect(await rig.snapshot()).toBe(
    '"Before Slotted words"\ntextbox "Field" [d1e1]\nbutton "Inside" [d1e2]\nclickable "Hand" [d1e3]',
  )
})

test('finds, clicks and types in closed shadow roots', async () => {
  expect(await rig.call('click', { target: 'text=Inside' })).toMatchObject({
    verdict: 'confirmed',
    effects: ['dom'],
  })
  expect(await rig.call('click', { target: await rig.refOf('clickable "Hand"') })).toMatchObject({
    verdict: 'confirmed',
  })
  expect(await rig.snapshot()).toContain('clickable "Grabbed"')
  expect(await rig.call('type', { target: 'label=Field', text: 'typed' })).toMatchObject({
    verdict: 'confirmed',
    value: 'typed',
  })
})
