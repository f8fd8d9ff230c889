import type { Envelope } from '../../../shared/envelope.ts'
import { Failure } from '../../../shared/failures.ts'
import { type Answer, type Asked, answered, refused } from './answer.ts'
import { COMMANDS, defaultOf, findCommand } from './commands/index.ts'
import { siteListing } from './commands/operations.ts'
import { candidateLines, candidates } from './completion/words.ts'
import { failureText } from './failure-text.ts'
import { helpFor, unknownWord } from './help.ts'
import { type LeafSpec, type Parsed, parseLeaf, takeOperands, usageOf } from './leaf.ts'
import { type OperationLeaf, operationLeaf } from './operation-leaf.ts'
import { FORMATS, type Format, isStructured, present } from './output/present.ts'
import type { CliParts } from './parts.ts'
import { type CliIo, CliRequest } from './request.ts'
import { wordsOf } from './routing.ts'
import { defaultFormat, type OutputFlags, outputFlags, withOutputOptions } from './run-flags.ts'
import { runOperation } from './run-operation.ts'
import { type Terminal, terminalOf } from './terminal.ts'

export interface CliSurface {
  /**
   * Does what was typed and writes to the streams of `io`. Resolves with the exit code; rejects only with frame_invalid,
   * for what is no request.
   */
  run(request: unknown, io: CliIo): Promise<number>
}

export const createCliSurface = (parts: CliParts): CliSurface => ({
  async run(request, io) {
    const parsed = CliRequest.safeParse(request)
    if (!parsed.success) throw new Failure('frame_invalid', { reason: 'it is no command line' })
    return new Turn(parts, parsed.data, io).run()
  },
})

/** One command line from its words to its exit code. */
class Turn {
  readonly #parts: CliParts
  readonly #request: CliRequest
  readonly #io: CliIo
  readonly #terminal: Terminal
  /** What is being asked, as far as it is known when something fails. */
  #asked: Asked = { site: 'unicli', command: '', startedAt: Date.now() }
  #leaf: LeafSpec | null = null
  #flags: OutputFlags | null = null

  constructor(parts: CliParts, request: CliRequest, io: CliIo) {
    this.#parts = parts
    this.#request = request
    this.#io = io
    this.#terminal = terminalOf(request)
  }

  async run(): Promise<number> {
    try {
      return await this.#dispatch()
    } catch (error) {
      return this.#show(refused(this.#asked, Failure.from(error)))
    }
  }

  #dispatch(): Promise<number> | number {
    const { argv } = this.#request
    if (argv[0] === '__complete') return this.#complete(argv.slice(argv[1] === '--' ? 2 : 1))
    const { first, second, rest } = wordsOf(argv)
    if (first === null) return this.#bare(argv)
    if (first === 'help') return this.#help(second, wordsOf(rest(2)).first)
    const found = findCommand(COMMANDS, first, second)
    if (found) return this.#command(found.command, rest(found.words))
    const fallback = defaultOf(first)
    if (fallback && second === null) return this.#command(fallback, rest(1), true)
    return this.#site(first, second, rest)
  }

  /** No word at all: options alone. */
  #bare(argv: readonly string[]): number {
    const spec: LeafSpec = {
      name: '',
      doc: '',
      operands: [],
      options: [{ flags: '-V, --version', doc: 'show the version' }],
      examples: [],
    }
    const parsed = this.#parse(withOutputOptions(spec), argv)
    return parsed.bare('--version') ? this.#print(`${this.#parts.version}\n`) : this.#help(null, null)
  }

  async #command(
    command: (typeof COMMANDS)[number],
    argv: readonly string[],
    isGroup = false,
  ): Promise<number> {
    this.#asked = { ...this.#asked, command: command.name }
    const parsed = this.#parse(command, argv)
    const [group = ''] = command.name.split(' ')
    if (this.#flags?.help) return isGroup ? this.#help(group, null) : this.#help(...pair(command.name))
    takeOperands(command, parsed.operands)
    const answer = await command.run({ parts: this.#parts, parsed, out: this.#terminal.out })
    return this.#answer(answer)
  }

  #site(first: string, second: string | null, rest: (count: 1 | 2) => string[]): Promise<number> | number {
    const { catalogue } = this.#parts.kernel
    const dotted = first.includes('.') ? catalogue.get(first) : null
    if (dotted) return this.#operation(operationLeaf(dotted), rest(1))
    const operation = second === null ? null : catalogue.get(`${first}.${second}`)
    if (operation) return this.#operation(operationLeaf(operation), rest(2))
    const isSite = catalogue.list().some(each => each.site === first)
    if (!isSite || second !== null) throw unknownWord(this.#parts, isSite ? `${first}.${second}` : first)
    this.#asked = { ...this.#asked, command: first }
    this.#parse(withOutputOptions({ name: first, doc: '', operands: [], options: [], examples: [] }), rest(1))
    return this.#flags?.help ? this.#help(first, null) : this.#answer(siteListing(catalogue, first))
  }

  async #operation(leaf: OperationLeaf, argv: readonly string[]): Promise<number> {
    const { site, command } = leaf.operation
    this.#asked = { ...this.#asked, site, command }
    const parsed = this.#parse(leaf, argv)
    if (this.#flags === null || this.#flags.help) return this.#help(site, command)
    const { kernel } = this.#parts
    const call = { kernel, leaf, parsed, flags: this.#flags, terminal: this.#terminal, io: this.#io }
    return this.#show(await runOperation(call))
  }

  #complete(words: readonly string[]): number {
    return this.#print(candidateLines(candidates(this.#parts, words)))
  }

  #help(first: string | null, second: string | null): number {
    return this.#print(helpFor(this.#parts, first, second, this.#terminal.out))
  }

  #parse(leaf: LeafSpec, argv: readonly string[]): Parsed {
    this.#leaf = leaf
    const parsed = parseLeaf(leaf, argv)
    this.#flags = outputFlags(parsed, () => this.#defaultFormat())
    return parsed
  }

  #answer(answer: Answer): number {
    for (const note of answer.notes ?? []) this.#note(note)
    if (answer.raw) return this.#print(answer.text ?? '')
    return this.#show(answered(this.#asked, answer), answer.text)
  }

  #show(envelope: Envelope, text?: string): number {
    const view = {
      format: this.#flags?.format ?? this.#formatForFailure(),
      fields: this.#flags?.fields ?? [],
      out: this.#terminal.out,
    }
    const shown = present(envelope, view, text)
    if (shown.out !== '') this.#io.out(shown.out)
    for (const note of shown.notes) this.#note(note)
    // Whoever reads an envelope needs no second telling; a person whose stdout goes elsewhere does.
    const { out, err } = this.#terminal
    if (!envelope.ok && (!isStructured(view.format) || (err.tty && !out.tty))) this.#tell(envelope)
    return envelope.exit_code
  }

  #tell({ error, meta }: Extract<Envelope, { ok: false }>): void {
    this.#io.err(failureText(error, meta, this.#terminal.err.paint))
    if (this.#leaf === null || (error.code !== 'usage' && error.code !== 'invalid_args')) return
    const name = `unicli ${this.#leaf.name}`.trim()
    const lines = [
      `Usage: ${usageOf(this.#leaf)}`,
      ...this.#leaf.examples.slice(0, 1).map(e => `Example: ${e}`),
    ]
    this.#io.err(`\n${lines.join('\n')}\nAll options: ${name} --help\n`)
  }

  #note(text: string): void {
    if (!this.#flags?.quiet) this.#io.err(`${text}\n`)
  }

  #print(text: string): 0 {
    if (text !== '') this.#io.out(text)
    return 0
  }

  #defaultFormat(): Format {
    const { env } = this.#request
    const { tty } = this.#terminal.out
    try {
      return defaultFormat(env, this.#parts.config.get('output.format'), tty)
    } catch (error) {
      // Whoever wants to mend the settings must still be able to.
      if (!Failure.is(error, 'config_invalid')) throw error
      this.#note(error.message)
      return defaultFormat(env, undefined, tty)
    }
  }

  /** The command line did not parse, or the default itself is wrong: what it says about the format still counts. */
  #formatForFailure() {
    const { argv } = this.#request
    const said = argv.flatMap((word, at) => {
      const [flag, value] = word.split('=', 2)
      return flag === '-f' || flag === '--format' ? [value ?? argv[at + 1]] : []
    })
    const asked = said.at(-1) ?? this.#request.env.UNICLI_OUTPUT
    const known = FORMATS.find(format => format === asked)
    return known ?? (this.#terminal.out.tty ? 'table' : 'json')
  }
}

const pair = (name: string): [string, string | null] => {
  const [first = '', second = null] = name.split(' ')
  return [first, second]
}
