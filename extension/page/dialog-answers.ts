import type { DialogPolicy, PageDialog } from '../../shared/values.ts'
import { IS_FIREFOX, pageWindow } from './engine.ts'

type Kind = 'alert' | 'confirm' | 'prompt'
declare const exportFunction: (
  value: (...args: unknown[]) => unknown,
  target: object,
  options: object,
) => void

const KINDS: readonly Kind[] = ['alert', 'confirm', 'prompt']
const MAX_CHARS = 10_000

/**
 * Answers the dialogs of the page while an act runs. In Firefox alone: there no extension reaches the browser's own
 * dialogs, and the page would stand still until the person answers.
 */
export class DialogAnswers {
  readonly raised: PageDialog[] = []
  readonly #policy: DialogPolicy
  readonly #before = new Map<Kind, PropertyDescriptor>()

  constructor(policy: DialogPolicy | undefined) {
    this.#policy = policy ?? 'auto'
    if (IS_FIREFOX && policy !== undefined) for (const kind of KINDS) this.#replace(kind)
  }

  /** The page has its own functions again. */
  end(): void {
    const page = pageWindow()
    for (const [kind, before] of this.#before) page.Object.defineProperty(page, kind, before)
    this.#before.clear()
  }

  #replace(kind: Kind): void {
    const page = pageWindow()
    const before = page.Object.getOwnPropertyDescriptor(page, kind)
    // Dialogs that the page draws itself are no dialogs of the browser.
    if (
      before?.value === undefined ||
      !/\[native code\]/.test(page.Function.prototype.toString.call(before.value))
    )
      return
    this.#before.set(kind, before)
    exportFunction((message, suggested) => this.#answer(kind, message, suggested), page, { defineAs: kind })
  }

  #answer(kind: Kind, message: unknown, suggested: unknown): boolean | string | null | undefined {
    const isAccepted = this.#policy === 'accept' || kind === 'alert'
    const preset = kind === 'prompt' ? textOf(suggested) : ''
    this.raised.push({
      kind,
      message: textOf(message),
      ...(kind === 'prompt' ? { suggested: preset } : {}),
      answer: isAccepted ? 'accepted' : 'dismissed',
      ...(isAccepted || this.#policy !== 'auto'
        ? {}
        : { hint: 'To answer otherwise, repeat the act with dialogs "accept".' }),
    })
    if (kind === 'alert') return undefined
    if (kind === 'confirm') return isAccepted
    return isAccepted ? preset : null
  }
}

const textOf = (value: unknown): string => (value === undefined ? '' : String(value).slice(0, MAX_CHARS))
