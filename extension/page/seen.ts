import { type ToldChanges, tellChanges } from './changes-text.ts'
import { type Limit, timeLeft } from './clock.ts'
import { focusedElement } from './dom.ts'
import { PageFailure } from './failure.ts'
import { diffLines, type LineChange, type SeenLine } from './line-diff.ts'
import { type PageLine, type PageReading, readPage } from './page-lines.ts'
import type { RefTable } from './refs.ts'

/** A reading that was told of; without the elements, which a page may let go. */
interface Kept {
  /** null as long as only a modal dialog was read. */
  page: readonly SeenLine[] | null
  modal: { element: WeakRef<Element>; lines: readonly SeenLine[] } | null
  focus: WeakRef<Element> | null
}

/** What was told of a document, so that it can be told what is different since. */
export class Seen {
  readonly #refs: RefTable
  /** At the last snapshot, and at the last answer of any kind. */
  #shown: Kept | null = null
  #told: Kept | null = null
  /** By time: so many elements were found not to be read within it. Nobody waits for that twice. */
  readonly #tooLarge = new Map<number, number>()

  constructor(refs: RefTable) {
    this.#refs = refs
  }

  /** A snapshot of the whole page is told. */
  remember(reading: PageReading, lines: readonly PageLine[]): void {
    this.#told = kept(reading, lines, this.#told)
    this.#shown = this.#told
  }

  /** Before an act: what its changes are relative to, where nothing was told of the page yet. */
  async begin(limit: Limit): Promise<void> {
    if (this.#told) return
    const now = await this.#inTime(BEGIN_MS, limit, own => this.#read(own))
    if (now) this.#told = kept(now.reading, now.lines, null)
  }

  /** After an act: what is different since the last answer, in few words; null when that is not known. */
  async afterAct(tellsFocus: boolean, limit: Limit, budget = ACT_TOKENS): Promise<string | null> {
    const since = this.#told
    if (!since) return null
    return this.#inTime(AFTER_MS, limit, async own => {
      const now = await this.#read(own)
      const { text: changes } = await this.#tell(since, now, budget, 'snapshot with since')
      const focus = tellsFocus ? this.#focusText(since, now.lines) : ''
      this.#told = kept(now.reading, now.lines, since)
      return [changes, focus].filter(part => part !== '').join('\n')
    })
  }

  /** What is different since the last snapshot of the whole page; null when there was none. */
  async sinceSnapshot(budget: number, limit: Limit): Promise<SinceSnapshot | null> {
    const since = this.#shown
    if (!since) return null
    const now = await this.#read(limit)
    const { text, isCut } = await this.#tell(since, now, budget, 'snapshot without since')
    this.remember(now.reading, now.lines)
    return { text, isCut, lines: now.lines }
  }

  async #tell(since: Kept, { reading, lines }: Now, budget: number, rest: string): Promise<ToldChanges> {
    const changes = tellChanges(changesSince(since, reading, lines), budget, rest)
    await reading.writer.tell(changes.told.flatMap(at => lines[at] ?? []))
    return changes
  }

  /** Null where the page is too large to be read for the sake of a few words. */
  async #inTime<T>(ms: number, limit: Limit, work: (own: Limit) => Promise<T>): Promise<T | null> {
    const size = document.getElementsByTagName('*').length
    if (size >= (this.#tooLarge.get(ms) ?? Number.POSITIVE_INFINITY)) return null
    try {
      return await work({ ...limit, deadline: Math.min(limit.deadline, Date.now() + ms) })
    } catch (error) {
      // The act itself is done, or is still to be done: neither depends on this.
      if (!(error instanceof PageFailure)) throw error
      if (timeLeft(limit) > 0) this.#tooLarge.set(ms, size)
      return null
    }
  }

  #focusText(since: Kept, lines: readonly PageLine[]): string {
    const now = focusedElement()
    if (!now || now === since.focus?.deref()) return ''
    const named = lines.flatMap(line => line.named).find(({ element }) => element === now)
    return named ? `focus: ${named.role} [${this.#refs.known(now)}]` : ''
  }

  async #read(limit: Limit): Promise<Now> {
    const reading = await readPage(null, this.#refs, limit)
    return { reading, lines: await reading.writer.lines(reading.items) }
  }
}

export interface SinceSnapshot {
  text: string
  isCut: boolean
  lines: readonly PageLine[]
}

interface Now {
  reading: PageReading
  lines: PageLine[]
}

/** An answer after an act stays below 150 tokens as a rule, and far below a snapshot always. */
const ACT_TOKENS = 200
const BEGIN_MS = 250
const AFTER_MS = 600

function kept({ modal }: PageReading, lines: readonly PageLine[], before: Kept | null): Kept {
  const bare = lines.map(({ item: _, named: __, ...line }) => line)
  const focus = focusedElement()
  return {
    page: modal ? (before?.page ?? null) : bare,
    modal: modal && { element: new WeakRef(modal), lines: bare },
    focus: focus && new WeakRef(focus),
  }
}

function changesSince(since: Kept, { modal }: PageReading, lines: readonly PageLine[]): LineChange[] {
  const same = modal !== null && since.modal?.element.deref() === modal
  if (modal) return diffLines(same && since.modal ? since.modal.lines : [], lines)
  const changes = since.page ? diffLines(since.page, lines) : []
  const closed = since.modal?.lines[0]
  return closed ? [{ kind: 'removed', line: closed, at: null }, ...changes] : changes
}
