import type { Envelope } from '../../../shared/envelope.ts'
import type { Lasting } from '../../../shared/policy.ts'
import type { Kernel, RunEvent } from '../../kernel/operation.ts'
import { approvalHelp, approvalText, LineReader, lastingOf, promptOf, replyOf } from './approval-prompt.ts'
import { argumentValues } from './argument-values.ts'
import type { Parsed } from './leaf.ts'
import { givenFlags, type OperationLeaf } from './operation-leaf.ts'
import { Progress } from './progress.ts'
import type { CliIo } from './request.ts'
import { type OutputFlags, runOptions } from './run-flags.ts'
import type { Terminal } from './terminal.ts'

type Waiting = Extract<RunEvent, { type: 'waiting' }>['approval']

export interface OperationCall {
  kernel: Kernel
  leaf: OperationLeaf
  parsed: Parsed
  flags: OutputFlags
  terminal: Terminal
  io: CliIo
}

/** Runs one operation, tells on stderr how it goes and asks the person whom it waits for. */
export async function runOperation(call: OperationCall): Promise<Envelope> {
  const { kernel, leaf, parsed, flags, terminal, io } = call
  const { operation } = leaf
  const options = runOptions(parsed, flags)
  const args = await argumentValues({
    operation: operation.id,
    specs: leaf.specs,
    flags: givenFlags(leaf.specs, parsed),
    operands: parsed.operands,
    json: parsed.text('--args') ?? null,
    readStdin: () => readAll(call),
  })
  const progress =
    flags.quiet || flags.stream ? null : new Progress(operation.id, terminal.err, text => io.err(text))
  io.effect(operation.effect)
  const desk = new Desk(call, progress)
  try {
    return await kernel.run({
      operation: operation.id,
      args,
      options,
      surface: 'cli',
      signal: io.signal,
      onEvent: event => {
        progress?.see(event)
        if (flags.stream) io.out(`${JSON.stringify(event)}\n`)
        if (event.type === 'waiting') void desk.open(event.approval)
        else desk.close()
      },
    })
  } finally {
    progress?.stop()
    desk.close()
  }
}

/** Puts the kernel's questions to whoever sits at the terminal, or says how to answer them elsewhere. */
class Desk {
  readonly #call: OperationCall
  readonly #progress: Progress | null
  #lines: LineReader | null = null
  #open: string | null = null

  constructor(call: OperationCall, progress: Progress | null) {
    this.#call = call
    this.#progress = progress
  }

  async open(approval: Waiting): Promise<void> {
    const { io, kernel, terminal, flags } = this.#call
    this.#progress?.pause()
    io.err(approvalText(approval, terminal.err.paint))
    if (flags.noInput || !terminal.interactive) return io.err(approvalHelp(approval))
    this.#open = approval.id
    for (;;) {
      io.err(promptOf(approval))
      this.#lines ??= new LineReader(io.stdin())
      const line = await this.#lines.next()
      // Answered elsewhere in the meantime: the line was typed for nothing.
      if (this.#open !== approval.id) return
      const answer = answerOf(line ?? '', approval)
      if (answer === null) continue
      this.#open = null
      if (line === null) io.err('\n')
      this.#progress?.resume()
      kernel.answer(approval.id, answer.allow, answer.lasts, answer.reply)
      return
    }
  }

  /** The run goes on, so the question has been answered, unless another branch of the run told something. */
  close(): void {
    if (this.#call.kernel.approvals().some(({ id }) => id === this.#open)) return
    if (this.#open !== null) this.#call.io.err('\nAnswered elsewhere.\n')
    this.#open = null
    this.#progress?.resume()
  }
}

interface Answer {
  allow: boolean
  lasts: Lasting
  reply?: string | undefined
}

/** What a typed line says; null when it is no answer, so that it is asked for once more. */
function answerOf(line: string, { choices }: Waiting): Answer | null {
  if (choices === undefined) {
    const lasts = lastingOf(line)
    return { allow: lasts !== null, lasts: lasts ?? 'once' }
  }
  if (line.trim() === '') return { allow: false, lasts: 'once' }
  const reply = replyOf(line, choices)
  return reply === undefined ? null : { allow: true, lasts: 'once', reply }
}

async function readAll({ io, terminal, flags, leaf }: OperationCall): Promise<string> {
  if (terminal.interactive && flags.noInput) return ''
  if (terminal.interactive && !flags.quiet)
    io.err(`Reading ${leaf.name} from the terminal; end it with Ctrl-D.\n`)
  let text = ''
  for await (const chunk of io.stdin()) text += chunk
  return text
}
