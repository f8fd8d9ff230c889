import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { HttpClient, HttpRequest } from '../../companion/ports/http.ts'
import { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { type KernelRig, makeKernelRig } from '../support/kernel-rig.ts'

/**
 * Adapters of public sites, run by the real kernel against answers in the shape that each provider documents.
 * Nobody recorded these answers: `kind` says so, and `after` names the document.
 */
const ContractFile = z.strictObject({
  kind: z.literal('contract'),
  after: z.string(),
  cases: z
    .array(
      z.strictObject({
        title: z.string(),
        args: z.record(z.string(), z.unknown()),
        exchanges: z.array(
          z.strictObject({
            method: z.string(),
            url: z.url(),
            answer: z.strictObject({
              status: z.int(),
              content_type: z.string(),
              text: z.string().optional(),
              json: z.unknown().optional(),
            }),
          }),
        ),
        data: z.unknown().optional(),
        code: z.string().optional(),
      }),
    )
    .min(1),
})
type Exchange = z.infer<typeof ContractFile>['cases'][number]['exchanges'][number]

const contracts = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.json'))
  .toSorted()
  .map(name => ({
    operation: name.replace(/\.json$/, '').replace(/[\\/]/, '.'),
    contract: ContractFile.parse(JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))),
  }))

/** Answers from the case alone, each exchange once; a request that is in none of them fails. */
class Provider implements HttpClient {
  #left: Exchange[] = []

  play(exchanges: readonly Exchange[]): void {
    this.#left = [...exchanges]
  }

  unasked(): string[] {
    return this.#left.map(exchange => exchange.url)
  }

  async request(request: HttpRequest) {
    const index = this.#left.findIndex(({ method, url }) => method === request.method && url === request.url)
    const [exchange] = index === -1 ? [] : this.#left.splice(index, 1)
    if (exchange === undefined)
      throw new Failure('network_error', { url: request.url, reason: 'the contract has no answer to it' })
    const { status, content_type, text = JSON.stringify(exchange.answer.json) } = exchange.answer
    const headers = { 'content-type': content_type }
    return { status, url: request.url, headers, text, bytes: new TextEncoder().encode(text) }
  }

  async stream(request: HttpRequest) {
    const { bytes, ...answer } = await this.request(request)
    return { ...answer, body: ReadableStream.from([bytes]) }
  }

  identity = async () => 'public'
}

const provider = new Provider()
let rig: KernelRig
beforeAll(async () => {
  rig = await makeKernelRig({ http: () => ({ open: () => provider }) })
})
afterAll(() => rig.close())

describe.each(contracts)('$operation', ({ operation, contract }) => {
  it.each(contract.cases)('$title', async ({ args, exchanges, data, code }) => {
    provider.play(exchanges)
    const envelope = await rig.run(operation, args)
    expect(Envelope.safeParse(envelope).error).toBeUndefined()
    expect({ code: envelope.error?.code, message: envelope.error?.message }).toMatchObject({ code })
    if (code === undefined) {
      expect(envelope.data).toEqual(data)
      expect(envelope.meta).toMatchObject({ strategy: 'public', effect: 'read' })
    }
    expect(provider.unasked()).toEqual([])
  })
})

it('has a contract for every adapter that says it was verified by one', () => {
  const claimed = rig.library.list().flatMap(({ id, verified }) => (verified?.how === 'contract' ? [id] : []))
  expect(contracts.map(({ operation }) => operation)).toEqual(claimed)
})
