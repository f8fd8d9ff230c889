import { IS_FIREFOX } from './engine.ts'
import { PageFailure } from './failure.ts'

/** Until when a call may go on, and what ends it before. */
export interface Limit {
  /** Names the call in deadline_exceeded, e.g. `click`. */
  action: string
  /** Epoch ms. */
  started: number
  deadline: number
  signal: AbortSignal
}

/** Kept back from the deadline so that the answer, with its reason, still reaches the caller in time. */
const ANSWER_MS = 100

export const timeLeft = (limit: Limit): number => limit.deadline - ANSWER_MS - Date.now()

/** @throws cancelled, deadline_exceeded */
export function checkLimit(limit: Limit): void {
  if (limit.signal.aborted) throw PageFailure.of('cancelled', { by: 'caller' })
  if (timeLeft(limit) <= 0) throw deadlineExceeded(limit)
}

export const deadlineExceeded = (limit: Limit): PageFailure =>
  PageFailure.of('deadline_exceeded', { action: limit.action, ms: Math.max(0, Date.now() - limit.started) })

/** Lets the page work on: resolves in a new task, which no throttling of hidden tabs delays. */
export function nextTask(): Promise<void> {
  return new Promise(resolve => {
    waitingForTask.push(resolve)
    taskChannel.port2.postMessage(null)
  })
}

const waitingForTask: (() => void)[] = []
const taskChannel = new MessageChannel()
taskChannel.port1.onmessage = () => waitingForTask.shift()?.()

/**
 * Runs the microtasks that a page queued in answer to an event, to the depth of its own promise chains, without
 * letting any other task in between.
 */
export async function drainMicrotasks(): Promise<void> {
  for (let hop = 0; hop < MICROTASK_HOPS; hop += 1) await null
}

const MICROTASK_HOPS = 50

interface TimedWait {
  async: boolean
  value: Promise<string> | string
}

/** ES2024; not in the library that this project compiles against. */
type AtomicsWithWait = typeof Atomics & {
  waitAsync?: (cells: Int32Array, index: number, value: number, ms: number) => TimedWait
}

/**
 * Timers of hidden tabs fire once a second (setTimeout, AbortSignal.timeout and scheduler alike), and those of others
 * are late by some ms; a timed Atomics wait is not throttled. In Firefox its promise never settles in an extension's
 * world: there a short delay passes in tasks, and a long one takes the throttled timer.
 */
export async function delay(ms: number): Promise<void> {
  const timer = new Promise<void>(resolve => setTimeout(resolve, ms))
  if (document.visibilityState !== 'hidden' && (IS_FIREFOX || ms > LONGEST_EXACT_MS)) return timer
  const waitAsync = (Atomics as AtomicsWithWait).waitAsync
  if (IS_FIREFOX) await Promise.race([timer, ms <= LONGEST_SPIN_MS ? tasksFor(ms) : timer])
  else if (waitAsync && sleepCell) await Promise.race([timer, waitAsync(sleepCell, 0, 0, ms).value])
  else await timer
}

const LONGEST_SPIN_MS = 100
const LONGEST_EXACT_MS = 30

async function tasksFor(ms: number): Promise<void> {
  const end = performance.now() + ms
  while (performance.now() < end) await nextTask()
}

const sleepCell = makeSleepCell()

function makeSleepCell(): Int32Array | null {
  try {
    // The constructor SharedArrayBuffer is hidden from pages that are not isolated; shared memory is not.
    return new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer)
  } catch {
    // A browser without it has slower waits in hidden tabs, nothing worse.
    return null
  }
}

const FRAME_MS = 16
const LATEST_FRAME_MS = 100

/** A visible page may still draw nothing: occluded windows, screens that sleep. Then no frame is waited for twice. */
let isDrawn = true

/** Whether the page draws; known once a frame was waited for. */
export const isPageDrawn = (): boolean => document.visibilityState !== 'hidden' && isDrawn

/** The next animation frame; where none come, as in hidden tabs, it is the time that a frame takes. */
export async function nextFrame(): Promise<void> {
  if (document.visibilityState === 'hidden') return delay(FRAME_MS)
  let frame = 0
  const drawn = new Promise<boolean>(resolve => {
    frame = requestAnimationFrame(() => resolve(true))
  })
  const late = delay(isDrawn ? LATEST_FRAME_MS : FRAME_MS).then(() => false)
  isDrawn = await Promise.race([drawn, late])
  cancelAnimationFrame(frame)
}

/** Decides when a long walk must let the page work on. */
export interface Slice {
  /** True once the walk has held the page for long enough. */
  over(): boolean
  renew(): void
}

const SLICE_MS = 20
/** The clock is looked at once in so many questions: it costs more than many a step of a walk. */
const STEPS_A_LOOK = 8

export function slice(): Slice {
  let end = performance.now() + SLICE_MS
  let steps = 0
  return {
    over: () => ++steps % STEPS_A_LOOK === 0 && performance.now() >= end,
    renew: () => {
      end = performance.now() + SLICE_MS
    },
  }
}

/** Drives a walk that yields where it may be interrupted, from within the slice that has begun. */
export async function inSlices<T>(walk: Generator<void, T>, part: Slice, limit: Limit): Promise<T> {
  for (;;) {
    checkLimit(limit)
    const step = walk.next()
    if (step.done) return step.value
    await nextTask()
    part.renew()
  }
}

/** Computes once, and anew after the script has given way: for what a walk asks of every element. */
export function oncePerTurn<T>(compute: () => T): () => T {
  let kept: { value: T } | null = null
  return () => {
    if (kept) return kept.value
    kept = { value: compute() }
    queueMicrotask(() => {
      kept = null
    })
    return kept.value
  }
}
