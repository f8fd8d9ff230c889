import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { step } from '../../tests/support/kernel-world.ts'
import { type LocalRig, makeLocalRig } from '../../tests/support/local-rig.ts'
import type { Kernel, RunEvent } from '../kernel/operation.ts'

let rig: LocalRig
beforeAll(async () => {
  rig = await makeLocalRig()
})
afterAll(() => rig.root.remove())

const give = step('give', async (_, params) => params)

/** Runs a question; `answer` gets the kernel and the id as soon as it waits. */
const asked = (question: object, answer: (kernel: Kernel, id: string) => void, timeout_ms = 20_000) => {
  const events: RunEvent[] = []
  const running = rig.run(
    [{ ask: question }],
    {},
    {
      options: { timeout_ms },
      onEvent: event => {
        events.push(event)
        if (event.type === 'waiting') queueMicrotask(() => answer(rig.kernel(), event.approval.id))
      },
    },
  )
  return running.then(envelope => ({ envelope, events }))
}

describe('ask', () => {
  it('waits on the desk of approvals and gives the choice', async () => {
    let shown: unknown = null
    const { envelope } = await asked({ question: '哪一个?', choices: ['甲', '乙'] }, (kernel, id) => {
      shown = kernel.approvals()
      kernel.answer(id, true, 'once', '乙')
    })
    expect(envelope.data).toBe('乙')
    expect(shown).toMatchObject([{ operation: 'demo.list', text: '哪一个?', choices: ['甲', '乙'] }])
    expect(rig.kernel().approvals()).toEqual([])
  })

  it('takes any text when it names no choices', async () => {
    const { envelope } = await asked({ question: 'Which name?' }, (kernel, id) => {
      kernel.answer(id, true, 'once', 'free text')
    })
    expect(envelope.data).toBe('free text')
  })

  it('takes no bare yes and no other answer, and goes on waiting', async () => {
    const { envelope } = await asked({ question: 'q', choices: ['a', 'b'] }, (kernel, id) => {
      for (const reply of [undefined, 'c'])
        expect(() => kernel.answer(id, true, 'once', reply)).toThrow(Failure)
      expect(kernel.approvals()).toHaveLength(1)
      kernel.answer(id, true, 'once', 'a')
    })
    expect(envelope.data).toBe('a')
  })

  it('fails when the person would not say', async () => {
    const { envelope } = await asked({ question: 'q' }, (kernel, id) => {
      kernel.answer(id, false)
    })
    expect(envelope.error).toMatchObject({ code: 'answer_missing', step: 'ask' })
    expect(envelope.exit_code).toBe(77)
  })

  it('fails when nobody answers before the deadline', async () => {
    const { envelope } = await asked({ question: 'q' }, () => undefined, 50)
    expect(envelope.error).toMatchObject({ code: 'answer_missing' })
    expect(envelope.error?.message).toContain('nobody answered in time')
    expect(rig.kernel().approvals()).toEqual([])
  })
})

describe('notify', () => {
  it('tells every surface and passes the data on', async () => {
    const told: string[] = []
    const { data } = await rig.run(
      [{ give: [1, 2] }, { notify: { title: 'Mail', text: '${{ data | length }} new' } }],
      {
        steps: [give],
      },
      { onEvent: event => event.type === 'progress' && told.push(event.text) },
    )
    expect(data).toEqual([1, 2])
    expect(told).toEqual(['Mail: 2 new'])
  })
})
