import type { Envelope } from '../../../../shared/envelope.ts'
import { Failure } from '../../../../shared/failures.ts'
import { isProjected, project } from '../../../kernel/projection.ts'
import { written } from '../../../kernel/written.ts'
import { type Answer, type Asked, answered, refused } from '../answer.ts'
import { failureText } from '../failure-text.ts'
import { type LeafSpec, type Parsed, parseLeaf, usageOf } from '../leaf.ts'
import type { CliIo, CliRequest } from '../request.ts'
import { defaultFormat, type OutputFlags, outputFlags } from '../run-flags.ts'
import { type Terminal, terminalOf } from '../terminal.ts'
import { FORMATS, type Format, isStructured, present } from './present.ts'

/** One command line's output: reads how it is wanted, then writes answers and failures that way. */
export class Printer {
  readonly terminal: Terminal
  readonly #request: CliRequest
  readonly #io: Pick<CliIo, 'out' | 'err'>
  readonly #formatSetting: () => unknown
  /** What is being asked, as far as it is known when something fails. */
  #asked: Asked = { site: 'unicli', command: '', startedAt: Date.now() }
  #leaf: LeafSpec | null = null
  #flags: OutputFlags | null = null

  /** @param formatSetting the setting output.format; may fail with config_invalid */
  constructor(request: CliRequest, io: Pick<CliIo, 'out' | 'err'>, formatSetting: () => unknown) {
    this.terminal = terminalOf(request)
    this.#request = request
    this.#io = io
    this.#formatSetting = formatSetting
  }

  /** Names what was asked in the envelopes of answers and failures. */
  ask(site: string, command: string): void {
    this.#asked = { ...this.#asked, site, command }
  }

  /** Fails with usage. */
  parse(leaf: LeafSpec, argv: readonly string[]): { parsed: Parsed; flags: OutputFlags } {
    this.#leaf = leaf
    const parsed = parseLeaf(leaf, argv)
    const flags = outputFlags(parsed, () => this.#defaultFormat())
    this.#flags = flags
    return { parsed, flags }
  }

  /** Every method that prints gives the exit code. */
  async answer(answer: Answer): Promise<number> {
    for (const note of answer.notes ?? []) this.#note(note)
    if (answer.raw) return this.print(answer.text ?? '')
    const wanted = this.#flags?.projection ?? {}
    if (!isProjected(wanted)) return this.envelope(answered(this.#asked, answer), answer.text)
    const { data, notes } = await project(answer.data, wanted)
    for (const note of notes) this.#note(note)
    const { fields = [] } = wanted
    return this.envelope(answered(this.#asked, { data, ...(fields.length > 0 && { columns: fields }) }))
  }

  fail(error: unknown): number {
    return this.envelope(refused(this.#asked, Failure.from(error)))
  }

  envelope(envelope: Envelope, text?: string): number {
    if (this.#flags?.stream) return this.#line(envelope)
    const view = {
      format: this.#flags?.format ?? this.#formatForFailure(),
      bare: this.#flags?.bare ?? false,
      out: this.terminal.out,
    }
    const shown = present(envelope, view, text)
    if (shown.out !== '') this.#io.out(shown.out)
    for (const note of shown.notes) this.#note(note)
    // Whoever reads an envelope needs no second telling; a person whose stdout goes elsewhere does.
    const { out, err } = this.terminal
    if (!envelope.ok && (!isStructured(view.format) || (err.tty && !out.tty))) this.#tell(envelope)
    return envelope.exit_code
  }

  print(text: string): 0 {
    if (text !== '') this.#io.out(text)
    return 0
  }

  /** The last line of a stream. */
  #line(envelope: Envelope): number {
    this.#io.out(`${JSON.stringify(written(envelope))}\n`)
    return envelope.exit_code
  }

  #tell({ error, meta }: Extract<Envelope, { ok: false }>): void {
    this.#io.err(failureText(error, meta, this.terminal.err.paint))
    if (this.#leaf === null || (error.code !== 'usage' && error.code !== 'invalid_args')) return
    const name = `unicli ${this.#leaf.name}`.trim()
    const examples = this.#leaf.examples.slice(0, 1).map(example => `Example: ${example}`)
    const lines = [`Usage: ${usageOf(this.#leaf)}`, ...examples, `All options: ${name} --help`]
    this.#io.err(`\n${lines.join('\n')}\n`)
  }

  #note(text: string): void {
    if (!this.#flags?.quiet) this.#io.err(`${text}\n`)
  }

  #defaultFormat(): Format {
    const { env } = this.#request
    const { tty } = this.terminal.out
    try {
      return defaultFormat(env, this.#formatSetting(), tty)
    } catch (error) {
      // Whoever wants to mend the settings must still be able to.
      if (!Failure.is(error, 'config_invalid')) throw error
      this.#note(error.message)
      return defaultFormat(env, undefined, tty)
    }
  }

  /** The command line did not parse, or the default itself is wrong: what it says about the format still counts. */
  #formatForFailure(): Format {
    const { argv, env } = this.#request
    const said = argv.flatMap((word, at) => {
      const [flag, value] = word.split('=', 2)
      if (flag === '--json') return ['json']
      return flag === '-f' || flag === '--format' ? [value ?? argv[at + 1]] : []
    })
    const asked = said.at(-1) ?? env.UNICLI_OUTPUT
    return FORMATS.find(format => format === asked) ?? (this.terminal.out.tty ? 'table' : 'json')
  }
}
