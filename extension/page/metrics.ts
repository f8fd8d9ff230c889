import type { Metrics } from '../../shared/state-values.ts'
import { nextTask } from './clock.ts'
import { elementsIn, tagOf } from './dom.ts'

/**
 * How the page loaded and how quickly it answers. The browser keeps what it measured, so that nothing has to watch
 * from the beginning; observers of ours live in a world that the page does not see.
 */
export async function readMetrics(): Promise<Metrics> {
  const shifts = await buffered<LayoutShift>({ type: 'layout-shift' })
  const paints = await buffered<LargestPaint>({ type: 'largest-contentful-paint' })
  const tasks = await buffered({ type: 'longtask' })
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  const painted = paints?.at(-1)
  return {
    url: location.href,
    navigation: navigationOf(),
    first_paint: paintAt('first-paint'),
    first_contentful_paint: paintAt('first-contentful-paint'),
    lcp: painted === undefined ? null : { at: round(painted.startTime), element: elementText(painted) },
    cls: shifts === null ? null : worstShift(shifts),
    inp: await slowestInteraction(),
    long_tasks:
      tasks === null
        ? null
        : {
            count: tasks.length,
            total: round(tasks.reduce((sum, { duration }) => sum + duration, 0)),
            longest: round(Math.max(0, ...tasks.map(({ duration }) => duration))),
          },
    resources: {
      count: resources.length,
      transferred: resources.reduce((sum, { transferSize }) => sum + transferSize, 0),
    },
    dom_nodes: elementsIn(document).length,
    js_heap: (performance as WithMemory).memory?.usedJSHeapSize ?? null,
    frames: window.length,
  }
}

/** What lib.dom has no types for yet. */
interface LayoutShift extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
}
interface LargestPaint extends PerformanceEntry {
  element: Element | null
}
interface Interaction extends PerformanceEntry {
  interactionId?: number
}
type WithMemory = Performance & { memory?: { usedJSHeapSize: number } }

interface ObserverOptions extends PerformanceObserverInit {
  type: string
  durationThreshold?: number
}

/** What the browser kept of a type; null when it does not measure it. */
async function buffered<E extends PerformanceEntry>(options: ObserverOptions): Promise<E[] | null> {
  if (!PerformanceObserver.supportedEntryTypes.includes(options.type)) return null
  const found: PerformanceEntry[] = []
  const observer = new PerformanceObserver(list => found.push(...list.getEntries()))
  observer.observe({ ...options, buffered: true })
  // Kept entries are handed over in a task of their own.
  await nextTask()
  await nextTask()
  found.push(...observer.takeRecords())
  observer.disconnect()
  return found as E[]
}

function navigationOf(): Metrics['navigation'] {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const at = (time: number | undefined): number | null =>
    time === undefined || time <= 0 ? null : round(time)
  return {
    type: entry?.type ?? 'unknown',
    status: entry?.responseStatus || null,
    ttfb: at(entry?.responseStart),
    dom_content_loaded: at(entry?.domContentLoadedEventEnd),
    load: at(entry?.loadEventEnd),
    transferred: entry?.transferSize ?? null,
  }
}

function paintAt(name: string): number | null {
  const [entry] = performance.getEntriesByName(name, 'paint')
  return entry === undefined ? null : round(entry.startTime)
}

function elementText({ element }: LargestPaint): string {
  if (!element) return ''
  const id = element.id === '' ? '' : `#${element.id}`
  return `${tagOf(element)}${id}`
}

const WINDOW_MS = 5000
const GAP_MS = 1000

/** The worst burst of shifts: at most 5 s long, less than 1 s between two; those after input do not count. */
export function worstShift(
  shifts: readonly { startTime: number; value: number; hadRecentInput: boolean }[],
): number {
  let worst = 0
  let sum = 0
  let first = Number.NEGATIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { startTime, value, hadRecentInput } of shifts) {
    if (hadRecentInput) continue
    const goesOn = startTime - last < GAP_MS && startTime - first < WINDOW_MS
    sum = goesOn ? sum + value : value
    if (!goesOn) first = startTime
    last = startTime
    worst = Math.max(worst, sum)
  }
  return Math.round(worst * 10_000) / 10_000
}

/** One in so many of the slowest interactions is left out. */
const OUTLIER_EACH = 50
const SHORTEST_MS = 16

async function slowestInteraction(): Promise<number | null> {
  const events = await buffered<Interaction>({ type: 'event', durationThreshold: SHORTEST_MS })
  const first = await buffered<Interaction>({ type: 'first-input' })
  if (events === null) return null
  return interactionDelay([...events, ...(first ?? [])])
}

/** The 98th percentile of the longest event of each interaction; null when there was none. */
export function interactionDelay(
  events: readonly { interactionId?: number; duration: number }[],
): number | null {
  const longest = new Map<number, number>()
  for (const { interactionId = 0, duration } of events)
    if (interactionId > 0) longest.set(interactionId, Math.max(duration, longest.get(interactionId) ?? 0))
  const slowest = [...longest.values()].sort((a, b) => b - a)
  const found = slowest[Math.floor(slowest.length / OUTLIER_EACH)]
  return found === undefined ? null : round(found)
}

const round = (ms: number): number => Math.round(ms * 10) / 10
