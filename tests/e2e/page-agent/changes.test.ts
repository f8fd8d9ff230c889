import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentRig, startAgentRig } from '../../support/page-agent.ts'

let rig: AgentRig

beforeAll(async () => {
  rig = await startAgentRig()
})
afterAll(() => rig.close())

const changesOf = async (target: string): Promise<string | undefined> =>
  (await rig.call('click', { target })).changes

/** A button whose script runs at a click. */
const does = (name: string, script: string): string => `<button onclick="${script}">${name}</button>`

describe('the answer after an act tells what the page shows otherwise', () => {
  test('than the snapshot before, and then than the answer before', async () => {
    await rig.show(
      `${does('Add', "list.insertAdjacentHTML('beforeend', '<li>Tea <button>Drop</button></li>')")}<ul id=list><li>Milk</li></ul>`,
    )
    await rig.snapshot()
    expect(await changesOf('text=Add')).toBe('+ listitem: "Tea", button "Drop" [d1e2]')
    expect(await changesOf('text=Add')).toBe('+ listitem: "Tea", button "Drop" [d1e3]')
    expect((await rig.call('click', { target: 'd1e3' })).verdict).toBe('unconfirmed')
  })

  test('also where nothing was told of the page before', async () => {
    await rig.show(`<p id=p>Idle</p>${does('Go', "p.textContent = 'Busy'")}`)
    expect(await changesOf('text=Go')).toBe('~ "Busy"')
  })

  test('or that nothing is different', async () => {
    await rig.show('<button>Nothing</button>')
    expect(await changesOf('text=Nothing')).toBe('')
  })

  test('or that all is gone, where the page is to be written anew', async () => {
    await rig.show(`<p>Before</p>${does('Write', 'document.open()')}`)
    await rig.snapshot()
    expect(await changesOf('text=Write')).toContain('- "Before"')
  })

  test('dialogs first, then only what is in a modal one, and the page again when it is closed', async () => {
    await rig.show(`<p id=p>0</p>${does('Ask', 'p.textContent = 1; d.showModal()')}
      <dialog id=d aria-label=Sure><p>Really?</p><button onclick="d.close()">Yes</button></dialog>`)
    await rig.snapshot()
    expect(await changesOf('text=Ask')).toBe(
      '+ dialog "Sure":\n+   "Really?"\n+   button "Yes" [d1e2] focused\nfocus: button [d1e2]',
    )
    expect(await changesOf('text=Yes')).toMatch(/^- dialog "Sure":\n~ "1"/)
  })

  test('values, checks and where the focus went', async () => {
    await rig.show('<label>Name <input></label><label><input type=checkbox> Agree</label>')
    await rig.snapshot()
    expect((await rig.call('type', { target: 'label=Name', text: '张伟' })).changes).toContain(
      '~ textbox "Name" [d1e1] focused: 张伟',
    )
    expect((await rig.call('press', { key: 'Tab' })).changes).toBe('focus: checkbox [d1e2]')
    expect(await changesOf('label=Agree')).toBe('~ checkbox "Agree" [d1e2] checked focused')
  })

  test('in few words, however much is different', async () => {
    await rig.show(
      `<main id=m><p>Old</p></main>${does('Fill', "m.innerHTML = '<h1>Results</h1>' + '<p>Some paragraph <a href=/x>link</a></p>'.repeat(300)")}`,
    )
    await rig.snapshot()
    const changes = (await changesOf('text=Fill')) ?? ''
    expect(changes).toMatch(/heading "Results" level=1/)
    expect(changes).toMatch(/… \d+ more lines changed: snapshot with since$/)
    expect(changes.length).toBeLessThan(900)
  })

  test('and an element that it told of can be acted on as what it has become', async () => {
    await rig.show(`${does('Flip', "other.textContent = 'Delete all'")}<button id=other>Keep all</button>`)
    const ref = await rig.refOf('button "Keep all"')
    expect(await changesOf('text=Flip')).toBe(`~ button "Delete all" [${ref}]`)
    expect((await rig.call('read', { target: ref })).name).toBe('Delete all')
  })

  test('but one that it did not tell of is still refused when it has become another', async () => {
    await rig.show(
      `${does('Flip', "other.textContent = 'Delete all'; m.innerHTML = '<h2>x</h2>'.repeat(300)")}<main id=m></main><button id=other>Keep all</button>`,
    )
    const ref = await rig.refOf('button "Keep all"')
    expect(await changesOf('text=Flip')).not.toContain('Delete all')
    expect((await rig.failure('click', { target: ref })).params.reason).toBe(
      'it was button "Keep all" and is button "Delete all" now',
    )
  })
})
