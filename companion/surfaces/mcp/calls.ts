import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { Envelope } from '../../../shared/envelope.ts'
import { Failure } from '../../../shared/failures.ts'
import { describeOperation, hitOf } from '../../kernel/description.ts'
import type { Invocation, Kernel } from '../../kernel/operation.ts'
import { refusalOf } from '../../kernel/refusal.ts'
import { written } from '../../kernel/written.ts'
import type { EvidencePort } from '../../ports/state.ts'
import { bounded } from './bounds.ts'
import { type Asking, push } from './elicitation.ts'
import { progressOf } from './progress.ts'
import type { Rounds } from './rounds.ts'
import { told } from './told.ts'
import { browserTools, DescribeArgs, RunArgs, SearchArgs } from './tools.ts'

/** Of an envelope, in characters of JSON: about 15,000 tokens, which clients take without cutting it themselves. */
const MAX_ANSWER = 50_000

type Call = Pick<Invocation, 'operation' | 'args' | 'options'>

/** How this call can put a question to the person. */
export interface Person {
  asking: Asking
  rounds: Rounds
}

/** What answers are made of. */
interface Parts {
  kernel: Kernel
  /** Where the pictures of an answer are. */
  evidence: Pick<EvidencePort, 'get'>
}

/**
 * Answers one tools/call. What went wrong with the call or the run is a result with `isError`, for the model to
 * read; only a tool that does not exist is an error of the protocol.
 *
 * @param signal aborts when the client cancels the call or goes away
 * @throws ProtocolError -32602 for an unknown tool
 */
export async function callTool(
  { kernel, evidence }: Parts,
  { name, arguments: args = {} }: CallToolRequest['params'],
  ctx: ServerContext,
  signal: AbortSignal,
  person: Person,
): Promise<CallToolResult | InputRequiredResult> {
  const { catalogue } = kernel
  try {
    if (name === 'search') return found(kernel, check(name, SearchArgs, args))
    if (name === 'describe') return described(kernel, check(name, DescribeArgs, args).operation)
    if (name === 'run') {
      const call = check(name, RunArgs, args)
      const answer = await run(kernel, call, ctx, signal, person)
      if (isInputRequiredResult(answer)) return answer
      const result = resultOf(written(answer), !answer.ok)
      return call.options.images ? withPictures(result, answer, evidence) : result
    }
    const operation = browserTools(catalogue).get(name)
    if (operation === undefined) throw unknownTool(name, catalogue.nearest(name))
    const answer = await run(kernel, { operation: operation.id, args, options: {} }, ctx, signal, person)
    return isInputRequiredResult(answer) ? answer : textOf(answer)
  } catch (error) {
    if (!Failure.is(error)) throw error
    return resultOf(refusalOf(error), true)
  }
}

function found(kernel: Kernel, { query, limit }: z.output<typeof SearchArgs>): CallToolResult {
  const hits = kernel.catalogue.search(query, limit)
  return resultOf({ operations: hits.map(hit => hitOf(hit.operation)) })
}

function described(kernel: Kernel, name: string): CallToolResult {
  const operation = kernel.catalogue.get(name)
  if (operation === null)
    throw new Failure('unknown_operation', { name, nearest: kernel.catalogue.nearest(name) })
  return resultOf({ ...describeOperation(operation) })
}

/** The envelope, as far as a client takes it, or what the person is to be asked first. */
async function run(
  kernel: Kernel,
  asked: Call,
  ctx: ServerContext,
  signal: AbortSignal,
  { asking, rounds }: Person,
): Promise<Envelope | InputRequiredResult> {
  const progress = progressOf(ctx)
  // A model reads it; it says so where it wants more.
  const call = { ...asked, options: { brief: true, ...asked.options } }
  const onEvent = progress?.onEvent
  const found =
    asking === 'rounds'
      ? await rounds.run(kernel, call, ctx, { signal, onEvent })
      : await runPushing(kernel, call, ctx, { signal, onEvent, asks: asking === 'push' })
  await progress?.sent()
  return isInputRequiredResult(found) ? found : bounded(found, MAX_ANSWER)
}

/** Runs to the end within the request, and asks the client meanwhile where it can show a form. */
async function runPushing(
  kernel: Kernel,
  call: Call,
  ctx: ServerContext,
  { signal, onEvent, asks }: Pick<Invocation, 'signal' | 'onEvent'> & { asks: boolean },
): Promise<Envelope> {
  let closeForm = (): void => undefined
  try {
    return await kernel.run({
      ...call,
      surface: 'mcp',
      signal,
      onEvent: event => {
        onEvent?.(event)
        // Whatever comes next shows that the question was answered, here or elsewhere.
        closeForm()
        if (event.type !== 'waiting' || !asks) return
        const form = new AbortController()
        closeForm = () => form.abort()
        push(kernel, ctx, event.approval, form.signal)
      },
    })
  } finally {
    closeForm()
  }
}

/** Clients refuse what is larger, or make it smaller by themselves. */
const MAX_PICTURE_BYTES = 5_000_000
const MAX_PICTURES = 4

const withPictures = (
  result: CallToolResult,
  envelope: Envelope,
  evidence: Parts['evidence'],
): CallToolResult => ({ ...result, content: [...result.content, ...picturesOf(envelope, evidence)] })

function picturesOf({ evidence: all }: Envelope, evidence: Parts['evidence']): CallToolResult['content'] {
  return all
    .filter(({ media_type = '', bytes = 0 }) => /^image\//.test(media_type) && bytes <= MAX_PICTURE_BYTES)
    .slice(0, MAX_PICTURES)
    .flatMap(({ id }) => {
      const kept = evidence.get(id)
      if (kept === null) return []
      const data = Buffer.from(kept.content).toString('base64')
      return [{ type: 'image' as const, data, mimeType: kept.media_type }]
    })
}

/** The key of a result's `_meta` under which a program finds the envelope of what a model reads as text. */
export const ENVELOPE_KEY = 'dev.unicli/envelope'

const textOf = (envelope: Envelope): CallToolResult => ({
  content: [{ type: 'text', text: told(envelope) }],
  _meta: { [ENVELOPE_KEY]: written(envelope) },
  ...(envelope.ok ? {} : { isError: true }),
})

/** The same value as text and as structure: clients show their models one or the other. */
const resultOf = (value: Record<string, unknown>, isError = false): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
  ...(isError ? { isError } : {}),
})

function check<S extends z.ZodType>(tool: string, schema: S, args: unknown): z.output<S> {
  const result = schema.safeParse(args)
  if (result.success) return result.data
  const problems = result.error.issues.map(
    issue => `${issue.path.join('.') || 'arguments'}: ${issue.message}`,
  )
  throw new Failure('usage', {
    problem: `The arguments of the tool ${tool} are not right: ${problems.join('; ')}.`,
    hint: 'tools/list shows what it takes; describe shows the args of an operation.',
  })
}

const unknownTool = (name: string, nearest: readonly string[]): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${name}. Operations are called through run${nearest.length > 0 ? `, such as ${nearest[0]}` : ''}.`,
  )
