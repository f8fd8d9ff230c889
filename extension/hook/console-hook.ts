import { consoleText } from '../../shared/console-format.ts'
import type { ConsoleLevel, PageLine } from '../../shared/traffic.ts'
import type { Mask } from './mask.ts'
import { natives, uncurry } from './natives.ts'

const LEVELS = {
  error: 'error',
  warn: 'warning',
  info: 'info',
  log: 'info',
  dir: 'info',
  trace: 'info',
  debug: 'debug',
} as const satisfies Partial<Record<keyof Console, ConsoleLevel>>
const METHODS = Object.keys(LEVELS) as (keyof typeof LEVELS)[]

const { getOwnPropertyDescriptor, keys } = Object
const promiseReason = (event: Event): unknown => (event as PromiseRejectionEvent).reason
const join = uncurry(Array.prototype.join)

const TEXT_CHARS = 10_000
/** Members of an object that are shown. */
const MEMBERS = 10

let count = 0
const prefix = Math.random().toString(36).slice(2, 10)

/** What the page writes to its console, and the errors and rejections that nobody caught. */
export function hookConsole(mask: Mask, report: (line: PageLine) => void): void {
  const tell = (line: Omit<PageLine, 'id' | 'at'>): void => {
    if (!mask.active) return
    const text = line.text.length > TEXT_CHARS ? `${line.text.slice(0, TEXT_CHARS)}…` : line.text
    report({ ...line, text, id: `${prefix}-${++count}`, at: natives.now() })
  }
  for (const name of METHODS)
    mask.replace(console, name, {
      apply(native, self, args) {
        Reflect.apply(native, self, args)
        const told = { kind: 'console', level: LEVELS[name], url: null, line: null } as const
        if (mask.active)
          tell({ ...told, text: consoleText(textsOf(args), typeof args[0] === 'string'), stack: ownStack() })
      },
    })
  // First of all listeners of the page, so that none of them can keep it from here.
  natives.addEventListener(window, 'error', event => {
    const { message, filename, lineno, error } = event as ErrorEvent
    const place = { url: filename || null, line: lineno || null }
    tell({
      kind: 'error',
      level: 'error',
      text: error ? textOf(error) : message,
      stack: stackOf(error),
      ...place,
    })
  })
  natives.addEventListener(window, 'unhandledrejection', event => {
    const reason = promiseReason(event)
    const told = { kind: 'rejection', level: 'error', url: null, line: null } as const
    tell({ ...told, text: textOf(reason), stack: stackOf(reason) })
  })
}

/** A page that makes stacks of its own would see that somebody asks for one. */
const ownStack = (): string =>
  getOwnPropertyDescriptor(natives.Error, 'prepareStackTrace') === undefined
    ? (new natives.Error().stack ?? '')
    : ''

function stackOf(reason: unknown): string {
  try {
    return reason instanceof natives.Error ? String(reason.stack ?? '') : ''
  } catch {
    return ''
  }
}

function textsOf(args: readonly unknown[]): string[] {
  const texts: string[] = []
  for (let at = 0; at < args.length; at += 1) texts[at] = textOf(args[at])
  return texts
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return nested(value)
  try {
    if (value instanceof natives.Error) return `${value.name}: ${value.message}`
    return members(value)
  } catch {
    // A proxy of the page's that throws. Nothing more is asked of it: the page would have the error.
    return '[object]'
  }
}

/** Getters are not called: the page would see it. */
function members(value: object): string {
  const isList = Array.isArray(value)
  const type = natives.objectString(value)
  if (!isList && type !== '[object Object]') return type
  const shown: string[] = []
  for (const name of keys(value)) {
    if (shown.length === MEMBERS) {
      shown[shown.length] = '…'
      break
    }
    const member = getOwnPropertyDescriptor(value, name)?.value as unknown
    const text = typeof member === 'string' ? natives.stringify(member) : nested(member)
    shown[shown.length] = isList ? text : `${name}: ${text}`
  }
  return isList ? `[${join(shown, ', ')}]` : `{${join(shown, ', ')}}`
}

function nested(value: unknown): string {
  if (typeof value === 'function') return 'function'
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'Array' : natives.objectString(value)
  return String(value)
}
