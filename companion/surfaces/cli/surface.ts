import { Failure } from '../../../shared/failures.ts'
import { withAdapterDirs } from './adapter-dir.ts'
import { COMMANDS, defaultOf, findCommand } from './commands/index.ts'
import { siteListing } from './commands/operations.ts'
import { candidateLines, candidates } from './completion/words.ts'
import { helpFor, unknownWord } from './help.ts'
import { type LeafSpec, takeOperands } from './leaf.ts'
import { type OperationLeaf, operationLeaf } from './operation-leaf.ts'
import { Printer } from './output/printer.ts'
import type { CliParts } from './parts.ts'
import { type CliIo, CliRequest } from './request.ts'
import { wordsOf } from './routing.ts'
import { withOutputOptions } from './run-flags.ts'
import { runOperation } from './run-operation.ts'

export interface CliSurface {
  /**
   * Does what was typed and writes to the streams of `io`. Resolves with the exit code; rejects only with
   * frame_invalid, for what is no request.
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
  #parts: CliParts
  readonly #argv: readonly string[]
  readonly #cwd: string
  readonly #client: string
  readonly #io: CliIo
  readonly #printer: Printer

  constructor(parts: CliParts, request: CliRequest, io: CliIo) {
    this.#parts = parts
    this.#argv = request.argv
    this.#cwd = request.cwd
    this.#client = request.version
    this.#io = io
    this.#printer = new Printer(request, io, () => parts.config.get('output.format'))
  }

  async run(): Promise<number> {
    try {
      this.#parts = withAdapterDirs(this.#parts, this.#argv, this.#cwd)
      return await this.#dispatch()
    } catch (error) {
      return this.#printer.fail(error)
    }
  }

  #dispatch(): Promise<number> | number {
    const argv = this.#argv
    if (argv[0] === '__complete') return this.#complete(argv.slice(argv[1] === '--' ? 2 : 1))
    const { first, second, rest } = wordsOf(argv)
    if (first === null) return this.#bare()
    if (first === 'help') return this.#help(second, wordsOf(rest(2)).first)
    const found = findCommand(COMMANDS, first, second)
    if (found) return this.#command(found.command, rest(found.words), found.command.name.split(' '))
    const fallback = second === null ? defaultOf(first) : null
    if (fallback) return this.#command(fallback, rest(1), [first])
    return this.#site(first, second, rest)
  }

  /** No word at all: options alone. */
  #bare(): number {
    const options = [{ flags: '-V, --version', doc: 'show the version' }]
    const { parsed } = this.#printer.parse(withOutputOptions({ ...NAMELESS, options }), this.#argv)
    return parsed.bare('--version') ? this.#printer.print(`${this.#parts.version}\n`) : this.#help(null, null)
  }

  /** @param topic words whose help is meant by --help */
  async #command(
    command: (typeof COMMANDS)[number],
    argv: readonly string[],
    topic: readonly string[],
  ): Promise<number> {
    this.#printer.ask('unicli', command.name)
    const leaf = command.shape === undefined ? command : withOutputOptions(command.shape(this.#parts, argv))
    const { parsed, flags } = this.#printer.parse(leaf, argv)
    if (flags.help) return this.#help(topic[0] ?? null, topic[1] ?? null)
    takeOperands(leaf, parsed.operands)
    const { out, interactive } = this.#printer.terminal
    const { signal } = this.#io
    const whence = { cwd: this.#cwd, client: this.#client, signal, interactive }
    const call = { parts: this.#parts, parsed, out, ...whence }
    return this.#printer.answer(await command.run(call))
  }

  #site(first: string, second: string | null, rest: (count: 1 | 2) => string[]): Promise<number> | number {
    const { catalogue } = this.#parts.kernel
    const dotted = first.includes('.') ? catalogue.get(first) : null
    if (dotted) return this.#operation(operationLeaf(dotted), rest(1))
    const operation = second === null ? null : catalogue.get(`${first}.${second}`)
    if (operation) return this.#operation(operationLeaf(operation), rest(2))
    const isSite = catalogue.list().some(each => each.site === first)
    if (!isSite || second !== null) throw unknownWord(this.#parts, isSite ? `${first}.${second}` : first)
    this.#printer.ask('unicli', first)
    const { flags } = this.#printer.parse(withOutputOptions({ ...NAMELESS, name: first }), rest(1))
    return flags.help ? this.#help(first, null) : this.#printer.answer(siteListing(catalogue, first))
  }

  async #operation(leaf: OperationLeaf, argv: readonly string[]): Promise<number> {
    const { site, command } = leaf.operation
    this.#printer.ask(site, command)
    const { parsed, flags } = this.#printer.parse(leaf, argv)
    if (flags.help) return this.#help(site, command)
    const { kernel } = this.#parts
    const { terminal } = this.#printer
    return this.#printer.envelope(await runOperation({ kernel, leaf, parsed, flags, terminal, io: this.#io }))
  }

  #complete(words: readonly string[]): number {
    return this.#printer.print(candidateLines(candidates(this.#parts, words)))
  }

  #help(first: string | null, second: string | null): number {
    return this.#printer.print(helpFor(this.#parts, first, second, this.#printer.terminal.out))
  }
}

const NAMELESS: LeafSpec = { name: '', doc: '', operands: [], options: [], examples: [] }
