import { randomUUID } from 'node:crypto'
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Envelope } from '../../../shared/envelope.ts'
import { Failure } from '../../../shared/failures.ts'
import type { ApprovalBrief } from '../../../shared/status.ts'
import type { Invocation, Kernel, RunEvent } from '../../kernel/operation.ts'
import { formOf, settle } from './elicitation.ts'

type Call = Pick<Invocation, 'operation' | 'args' | 'options'>

/** Key of the form among what a client is asked for. */
const APPROVAL = 'approval'
/** How long an answer that nobody has fetched is kept. */
const KEPT_MS = 10 * 60_000

/**
 * Runs that outlive the request that began them: a client of 2026-07-28 is given the question as the answer of its
 * call, and calls again with the person's word.
 */
export class Rounds {
  readonly #runs = new Map<string, HeldRun>()

  /** The envelope, or the next question. Fails with usage for a call that does not belong to its state. */
  async run(
    kernel: Kernel,
    call: Call,
    ctx: ServerContext,
    { signal, onEvent }: Pick<Invocation, 'signal' | 'onEvent'>,
  ): Promise<Envelope | InputRequiredResult> {
    const state = ctx.mcpReq.requestState<string>()
    const run = state === undefined ? new HeldRun(kernel, call) : this.#resume(kernel, call, state, ctx)
    const found = await run.next(signal, onEvent)
    if ('exit_code' in found) return found
    return inputRequired({
      inputRequests: { [APPROVAL]: inputRequired.elicit(formOf(found)) },
      requestState: this.#hold(run),
    })
  }

  #hold(run: HeldRun): string {
    const id = randomUUID()
    this.#runs.set(id, run)
    run.ended.then(() => setTimeout(() => this.#runs.delete(id), KEPT_MS).unref())
    return id
  }

  /** A state is good for one call: the run that it names goes on under the next one. */
  #resume(kernel: Kernel, call: Call, state: string, ctx: ServerContext): HeldRun {
    const run = this.#runs.get(state)
    if (run === undefined || run.key !== keyOf(call))
      throw new Failure('usage', {
        problem: 'This request state belongs to no call that waits.',
        hint: 'Call again without it; look first whether the operation was done.',
      })
    this.#runs.delete(state)
    const response = inputResponse(ctx.mcpReq.inputResponses, APPROVAL)
    const { approval } = run
    if (approval !== null && response.kind === 'elicit')
      settle(kernel, approval.id, { action: response.action, content: response.content as never })
    return run
  }
}

const keyOf = (call: Call): string => JSON.stringify(call)

class HeldRun {
  readonly key: string
  readonly ended: Promise<Envelope>
  /** The question that was handed out last. */
  approval: ApprovalBrief | null = null
  readonly #abort = new AbortController()
  readonly #questions: ApprovalBrief[] = []
  #listener: ((event: RunEvent) => void) | undefined
  #wake: () => void = () => undefined

  constructor(kernel: Kernel, call: Call) {
    this.key = keyOf(call)
    this.ended = kernel.run({
      ...call,
      surface: 'mcp',
      signal: this.#abort.signal,
      onEvent: event => {
        this.#listener?.(event)
        if (event.type !== 'waiting') return
        this.#questions.push(event.approval)
        this.#wake()
      },
    })
  }

  /** Its end, or the next question; a client that goes away before either takes the run with it. */
  async next(
    signal: AbortSignal,
    onEvent: ((event: RunEvent) => void) | undefined,
  ): Promise<Envelope | ApprovalBrief> {
    const stop = () => this.#abort.abort()
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    this.#listener = onEvent
    const asked = new Promise<void>(resolve => {
      this.#wake = resolve
      if (this.#questions.length > 0) resolve()
    })
    try {
      const envelope = await Promise.race([this.ended, asked])
      this.approval = this.#questions.shift() ?? null
      return envelope ?? this.approval ?? (await this.ended)
    } finally {
      this.#listener = undefined
      signal.removeEventListener('abort', stop)
    }
  }
}
