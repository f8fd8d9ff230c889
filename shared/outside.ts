import { z } from 'zod'
import type { FailureJson } from './failures.ts'

/** What a document asks of the worker while it acts. Of this file, pages take the types alone. */

const Point = z.object({ x: z.number(), y: z.number() })
const Modifiers = z.array(z.enum(['Alt', 'Control', 'Meta', 'Shift']))

/** Input that the browser itself makes, for what events from a script cannot do. Points are of the tab's viewport. */
export const TrustedInput = z.discriminatedUnion('do', [
  z.object({ do: z.literal('move'), at: Point, held: z.boolean().optional() }),
  /** Where the browser begins its own kind of drag, it is caught from `catch_drags` to `let_drags`, moved and dropped. */
  z.object({ do: z.enum(['catch_drags', 'let_drags']) }),
  z.object({ do: z.enum(['drag', 'drop']), at: Point }),
  z.object({
    do: z.enum(['down', 'up']),
    at: Point,
    button: z.enum(['left', 'middle', 'right']),
    count: z.number().int(),
    modifiers: Modifiers,
  }),
  z.object({
    do: z.literal('key'),
    key: z.string(),
    code: z.string(),
    keyCode: z.number().int(),
    /** What it types; '' for keys that type nothing. */
    text: z.string(),
    ctrl: z.boolean(),
    alt: z.boolean(),
    shift: z.boolean(),
    meta: z.boolean(),
  }),
  z.object({ do: z.literal('text'), text: z.string() }),
])
export type TrustedInput = z.infer<typeof TrustedInput>

/** What a document asks of the worker while it acts, since only the worker can do it. */
export const OutsideRequest = z.discriminatedUnion('ask', [
  /** Have the debugger on the tab. */
  z.object({ ask: z.literal('attach') }),
  /** Where a point of this document lies in the tab's viewport, and what covers it there. */
  z.object({ ask: z.literal('place'), point: Point }),
  z.object({ ask: z.literal('input'), inputs: z.array(TrustedInput) }),
  /** Who of the page listens to clicks at a point of the tab's viewport. */
  z.object({ ask: z.literal('listeners'), at: Point }),
])
export type OutsideRequest = z.infer<typeof OutsideRequest>

export interface Placed {
  at: { x: number; y: number }
  /** In words; null when nothing is in the way. */
  obstacle: string | null
}

/** `trusted`: all of them look whether the browser itself made the event; `unknown` where it cannot be looked up. */
export type ClickListeners = 'none' | 'trusted' | 'some' | 'unknown'

export interface OutsideResults {
  attach: true
  place: Placed
  input: true
  listeners: ClickListeners
}

/** Page agent → worker, with the pass that came with the act. */
export const OutsideMessage = z.object({
  type: z.literal('page.outside'),
  pass: z.string(),
  request: OutsideRequest,
})
export type OutsideMessage = z.infer<typeof OutsideMessage>

export type OutsideAnswer = { ok: true; value: unknown } | { ok: false; failure: FailureJson }
