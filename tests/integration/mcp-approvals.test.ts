import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Envelope } from '../../shared/envelope.ts'
import { governorOf } from '../support/governor.ts'
import { operation, setUp } from '../support/kernel-world.ts'
import { ERAS, type McpRig, startMcpRig } from '../support/mcp-rig.ts'

let rig: McpRig | null = null
afterEach(async () => {
  await rig?.close()
  rig = null
})

/** The MCP surface over the real kernel, with an operation that publishes. */
async function served(over: { takesYes?: boolean } = {}) {
  const op = operation({
    effect: 'write',
    risk: 'publish',
    secrets: ['key'],
    args: z.strictObject({ title: z.string(), key: z.string().optional() }),
  })
  const world = setUp(op, { governor: governorOf({}) })
  rig = await startMcpRig([], { kernel: world.kernel, takesYes: () => over.takesYes ?? false })
  return { rig, kernel: world.kernel }
}

const person = (result: ElicitResult) => {
  const forms: ElicitRequest['params'][] = []
  const answers = async ({ params }: ElicitRequest) => {
    forms.push(params)
    return result
  }
  return { forms, answers }
}

async function call(client: Client, title = 'A', options: Record<string, unknown> = {}): Promise<Envelope> {
  const args = { operation: 'demo.list', args: { title, key: 'hunter2-secret' }, options }
  const { structuredContent } = await client.callTool({ name: 'run', arguments: args })
  return structuredContent as Envelope
}

describe.each(ERAS)('an approval for an MCP client of $revision', era => {
  it('is put to the person behind the client, without secrets, and their yes lets it happen', async () => {
    const { rig } = await served()
    const { forms, answers } = person({ action: 'accept', content: { lasts: 'once' } })
    const client = await rig.overPipe(era, answers)
    expect((await call(client)).ok).toBe(true)
    expect((await call(client)).ok).toBe(true)
    expect(forms).toHaveLength(2)
    expect(forms[0]?.message).toContain('Allow demo.list (write, publish)?')
    expect(forms[0]?.message).toContain('title: "A"')
    expect(JSON.stringify(forms)).not.toContain('hunter2')
  })

  it('may hold for the session', async () => {
    const { rig } = await served()
    const { forms, answers } = person({ action: 'accept', content: { lasts: 'session' } })
    const client = await rig.overPipe(era, answers)
    for (const title of ['A', 'A', 'B']) expect((await call(client, title)).ok).toBe(true)
    expect(forms).toHaveLength(2)
  })

  it('that is declined ends with exit 77', async () => {
    const { rig } = await served()
    const client = await rig.overPipe(era, person({ action: 'decline' }).answers)
    expect(await call(client)).toMatchObject({ exit_code: 77, error: { code: 'approval_denied' } })
  })

  it('that is accepted without saying for how long is no yes', async () => {
    const { rig } = await served()
    const client = await rig.overPipe(era, person({ action: 'accept', content: {} }).answers)
    expect(await call(client, 'A', { timeout_ms: 300 })).toMatchObject({ ok: false, exit_code: 77 })
  })

  it('that is put away waits on for others, until its time is over', async () => {
    const { rig } = await served()
    const client = await rig.overPipe(era, person({ action: 'cancel' }).answers)
    const envelope = await call(client, 'A', { timeout_ms: 300 })
    expect(envelope).toMatchObject({ exit_code: 77, error: { code: 'approval_required' } })
  })

  it('goes by who answers first, wherever that is', async () => {
    const { rig, kernel } = await served()
    const answers = async (): Promise<ElicitResult> => {
      const [approval] = kernel.approvals()
      expect(kernel.answer(approval?.id ?? '', false)).toBe(true)
      return { action: 'accept', content: { lasts: 'once' } }
    }
    expect((await call(await rig.overPipe(era, answers))).error?.code).toBe('approval_denied')
  })

  it('is not asked of a client that shows no forms', async () => {
    const { rig } = await served()
    const envelope = await call(await rig.overPipe(era), 'A', { timeout_ms: 300 })
    expect(envelope).toMatchObject({ exit_code: 77, error: { code: 'approval_required' } })
    expect(envelope.error?.suggestion).toContain('unicli approvals allow')
  })

  it('is not asked over HTTP, where the client may be the program that asked', async () => {
    const { rig } = await served()
    const { forms, answers } = person({ action: 'accept', content: { lasts: 'once' } })
    const envelope = await call(await rig.overHttp(era, answers), 'A', { timeout_ms: 300 })
    expect(envelope.error?.code).toBe('approval_required')
    expect(forms).toEqual([])
  })
})

describe('an approval over rounds', () => {
  const modern = ERAS[1]

  it('is asked over HTTP where the person lets HTTP say yes', async () => {
    const { rig } = await served({ takesYes: true })
    const { answers } = person({ action: 'accept', content: { lasts: 'once' } })
    expect((await call(await rig.overHttp(modern, answers))).ok).toBe(true)
  })
})
