import { consoleText } from '../../shared/console-format.ts'
import type { ConsoleLevel, ConsoleLine } from '../../shared/traffic.ts'
import type { DebugChild, DebugEvent, Holder, Send } from './debug-attachment.ts'
import { isHook } from './own-frames.ts'

interface Remote {
  type: string
  subtype?: string
  value?: unknown
  unserializableValue?: string
  description?: string
  preview?: Preview
}
interface Preview {
  subtype?: string
  description?: string
  overflow: boolean
  properties: { name: string; value?: string; type: string }[]
}
interface Frame {
  functionName: string
  url: string
  lineNumber: number
  columnNumber: number
}
interface Called {
  type: string
  args: Remote[]
  timestamp: number
  stackTrace?: { callFrames: Frame[] }
}
interface Thrown {
  timestamp: number
  exceptionDetails: {
    text: string
    url?: string
    lineNumber: number
    exception?: Remote
    stackTrace?: { callFrames: Frame[] }
  }
}
interface Logged {
  entry: {
    source: string
    level: string
    text: string
    timestamp: number
    url?: string
    lineNumber?: number
    workerId?: string
  }
}

const LEVELS: Readonly<Record<string, ConsoleLevel>> = {
  error: 'error',
  assert: 'error',
  warning: 'warning',
  debug: 'debug',
  verbose: 'debug',
}
const TEXT_CHARS = 10_000
const STACK_FRAMES = 10

/**
 * The console of a tab, its cross-process frames and its workers. A browser keeps what a document has written before
 * anybody listened, and tells it when the listening begins: so nothing is missed, from the document's first line on.
 */
export class DebuggerConsole implements Holder {
  readonly #tab: number
  readonly #tell: (line: ConsoleLine) => void
  readonly #children: Promise<void>[] = []
  /** Targets that tell for themselves. */
  readonly #workers = new Set<string>()
  /** What the page tells of workers of which it is not known yet whether they do; null once it is. */
  #early: Logged[] | null = []

  constructor(tab: number, tell: (line: ConsoleLine) => void) {
    this.#tab = tab
    this.#tell = tell
  }

  begin(send: Send): Promise<void> {
    return enable(send)
  }

  onChild(child: DebugChild, send: Send): Promise<void> {
    this.#workers.add(child.targetId)
    const enabled = enable(send, child.sessionId)
    this.#children.push(enabled)
    return enabled
  }

  /** Resolves when all frames and workers that are known have told what they kept. */
  async told(): Promise<void> {
    await Promise.allSettled(this.#children)
    const early = this.#early ?? []
    this.#early = null
    for (const logged of early) this.#logged(logged)
  }

  onEvent({ method, params }: DebugEvent): void {
    // The protocol says which params an event has.
    if (method === 'Runtime.consoleAPICalled') this.#called(params as unknown as Called)
    else if (method === 'Runtime.exceptionThrown') this.#thrown(params as unknown as Thrown)
    else if (method === 'Log.entryAdded') this.#logged(params as unknown as Logged)
  }

  #called({ type, args, timestamp, stackTrace }: Called): void {
    if (type === 'clear' || type === 'endGroup') return
    const text = consoleText(args.map(textOf), args[0]?.type === 'string')
    this.#line('console', LEVELS[type] ?? 'info', timestamp, text, stackTrace?.callFrames ?? [])
  }

  #thrown({ timestamp, exceptionDetails }: Thrown): void {
    const { text, exception, stackTrace, url, lineNumber } = exceptionDetails
    const isRejection = text.includes('(in promise)')
    const said = exception === undefined ? text : thrownText(exception)
    const frames = stackTrace?.callFrames ?? []
    const place =
      url === undefined ? frames : [{ functionName: '', url, lineNumber, columnNumber: 0 }, ...frames]
    this.#line(isRejection ? 'rejection' : 'error', 'error', timestamp, firstOf(said), place)
  }

  #logged(logged: Logged): void {
    const { level, text, timestamp, url, lineNumber, workerId } = logged.entry
    if (workerId !== undefined && this.#workers.has(workerId)) return
    if (workerId !== undefined && this.#early !== null) {
      this.#early.push(logged)
      return
    }
    const place =
      url === undefined ? [] : [{ functionName: '', url, lineNumber: lineNumber ?? -1, columnNumber: 0 }]
    this.#line('browser', LEVELS[level] ?? 'info', timestamp, text, place)
  }

  #line(kind: ConsoleLine['kind'], level: ConsoleLevel, at: number, full: string, stack: Frame[]): void {
    const frames = stack.filter(({ url }) => !isHook(url))
    const text = full.length > TEXT_CHARS ? `${full.slice(0, TEXT_CHARS)}…` : full
    const [first] = frames
    this.#tell({
      // Told again later, objects in it may be told in other words; its time and place stay.
      key: `${this.#tab} ${at} ${kind} ${first?.lineNumber}:${first?.columnNumber}`,
      at,
      tab: this.#tab,
      level,
      kind,
      text,
      url: first === undefined || first.url === '' ? null : first.url,
      line: first === undefined || first.lineNumber < 0 ? null : first.lineNumber + 1,
      stack: frames.slice(0, STACK_FRAMES).map(placeOf).join('\n'),
    })
  }
}

/** All at once: a worker that has not begun answers none of them. */
async function enable(send: Send, sessionId?: string): Promise<void> {
  // What was kept is told when it is switched on, not when it is on already.
  const methods = ['Runtime.disable', 'Runtime.enable', 'Log.disable', 'Log.enable']
  const done = await Promise.allSettled(methods.map(method => send(method, {}, sessionId)))
  for (const one of done) if (one.status === 'rejected') console.debug('a console is not told', one.reason)
}

const placeOf = ({ functionName, url, lineNumber, columnNumber }: Frame): string =>
  `${functionName || '(anonymous)'} (${url}:${lineNumber + 1}:${columnNumber + 1})`

/** The stack, which an error's description goes on with, is told apart. */
const firstOf = (description: string): string => description.split(/\n\s+at /, 1)[0] ?? description

const thrownText = (thrown: Remote): string =>
  (thrown.subtype === 'error' ? thrown.description : undefined) ?? textOf(thrown)

function textOf({ type, value, unserializableValue, description, preview }: Remote): string {
  if (type === 'string') return String(value)
  if (preview !== undefined) return previewText(preview)
  return description ?? unserializableValue ?? JSON.stringify(value) ?? type
}

function previewText({ subtype, properties, overflow, description = '' }: Preview): string {
  if (subtype === 'error') return description
  const isList = subtype === 'array'
  const parts = properties.map(({ name, value = '', type }) => {
    const shown = type === 'string' ? JSON.stringify(value) : value
    return isList ? shown : `${name}: ${shown}`
  })
  if (overflow) parts.push('…')
  const name = description === 'Object' || isList ? '' : `${description} `
  return isList ? `[${parts.join(', ')}]` : `${name}{${parts.join(', ')}}`
}
