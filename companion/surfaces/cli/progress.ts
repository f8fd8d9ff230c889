import type { RunEvent } from '../../kernel/operation.ts'
import { cut, oneLine } from './output/text.ts'
import type { Stream } from './terminal.ts'

/** Work that is done within it is not talked about. */
const PATIENCE_MS = 1000
const REDRAW_MS = 250
/** Without a terminal each line stays, so there are few. */
const PLAIN_MS = 5000
const FRAMES = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇']
const CLEAR = '\r\u001b[K'

/** Tells on stderr what a run is doing: one line drawn over itself on a terminal, now and then a line elsewhere. */
export class Progress {
  readonly #write: (text: string) => void
  readonly #stream: Stream
  readonly #name: string
  readonly #startedAt = Date.now()
  #timer: NodeJS.Timeout | undefined
  #doing = ''
  #told = ''
  #drawn = false
  #paused = false
  #frame = 0

  constructor(name: string, stream: Stream, write: (text: string) => void) {
    this.#name = name
    this.#stream = stream
    this.#write = write
    this.#timer = setTimeout(() => this.#begin(), PATIENCE_MS)
  }

  see(event: RunEvent): void {
    if (event.type === 'progress') this.#doing = oneLine(event.text)
    else if (event.type === 'step' && event.state === 'started') this.#doing = `${event.step} (${event.path})`
    else if (event.type === 'attempt' && event.ok === null) this.#doing = `trying ${event.strategy}`
  }

  /** Gives the line to somebody who asks a question, until `resume`. */
  pause(): void {
    this.#paused = true
    this.#clear()
  }

  resume(): void {
    this.#paused = false
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#clear()
  }

  #begin(): void {
    this.#tell()
    this.#timer = setInterval(() => this.#tell(), this.#stream.redraws ? REDRAW_MS : PLAIN_MS)
  }

  #tell(): void {
    if (this.#paused) return
    const seconds = (Date.now() - this.#startedAt) / 1000
    const text = this.#doing === '' ? this.#name : `${this.#name}: ${this.#doing}`
    if (this.#stream.redraws) {
      const frame = FRAMES[this.#frame++ % FRAMES.length]
      const line = cut(`${frame} ${text} ${seconds.toFixed(1)} s`, (this.#stream.width ?? 80) - 1)
      this.#write(`${CLEAR}${this.#stream.paint.dim(line)}`)
      this.#drawn = true
    } else if (text !== this.#told) {
      this.#write(`${text} …\n`)
      this.#told = text
    }
  }

  #clear(): void {
    if (this.#drawn) this.#write(CLEAR)
    this.#drawn = false
  }
}
