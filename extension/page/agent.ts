import type { FailureJson } from '../../shared/failures.ts'
import type { DeviceUses, IndexedData, Metrics } from '../../shared/state-values.ts'
import type { ActResult, DialogPolicy, Hand, PageDialog } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { focus, type PressRequest, press, type TypeRequest, type } from './acts.ts'
import { mayAsk, mayAskToStay } from './asking.ts'
import { type CheckRequest, check, select } from './choosing.ts'
import { type ClickRequest, click, hover } from './clicking.ts'
import { deadlineExceeded, type Limit, timeLeft } from './clock.ts'
import { deviceUses } from './device-uses.ts'
import { DialogAnswers } from './dialog-answers.ts'
import { focusedElement } from './dom.ts'
import { type DomPath, domPathOf } from './dom-path.ts'
import { type DragRequest, drag } from './dragging.ts'
import { failureJson, PageFailure } from './failure.ts'
import { type FindRequest, type FindResult, find } from './find.ts'
import { pointThrough, type Through, type ThroughRequest } from './frame-place.ts'
import { LinkWatch } from './link-watch.ts'
import type { SelectRequest } from './list-choice.ts'
import { awaitElement, findAll, locate } from './locate.ts'
import { readMetrics } from './metrics.ts'
import { type AskOutside, Outside } from './outside.ts'
import { type PasteRequest, paste } from './pasting.ts'
import {
  type Box,
  frameBox,
  type Mark,
  type Measured,
  type MeasureRequest,
  marksOf,
  measure,
} from './picturing.ts'
import { Pointer } from './pointer.ts'
import {
  type ElementReading,
  type FrameInfo,
  type PageHtml,
  type PageStorage,
  readElement,
  readFrame,
  readHtml,
  readStorage,
} from './reading.ts'
import { RefTable } from './refs.ts'
import { type ScrollRequest, scroll } from './scrolling.ts'
import { Seen } from './seen.ts'
import { type PageSnapshot, type SnapshotRequest, takeSnapshot } from './snapshot.ts'
import { type Piece, Stash } from './stash.ts'
import {
  type IndexedRequest,
  readIndexed,
  type StorageWrite,
  type StorageWritten,
  writeStorage,
} from './storing.ts'
import { type UploadRequest, upload } from './uploading.ts'
import { type WaitRequest, type WaitResult, waitFor } from './waiting.ts'
import { AmbientWatch, type Instead } from './watch.ts'

interface Of<P, R> {
  params: P
  result: R
}
type Targeted = { target: string }
type MaybeTargeted = { target: string | null }

/** What can be asked of a document. Failures carry the codes and params of shared/failures.ts. */
export interface PageMethods {
  snapshot: Of<MaybeTargeted & Omit<SnapshotRequest, 'root'>, PageSnapshot>
  find: Of<FindRequest, FindResult>
  seek: Of<Targeted, { count: number }>
  path: Of<Targeted, { path: DomPath | null }>
  click: Of<ClickRequest & Targeted, ActResult>
  type: Of<TypeRequest, ActResult>
  press: Of<PressRequest, ActResult>
  hover: Of<Targeted, ActResult>
  focus: Of<Targeted, ActResult>
  check: Of<CheckRequest, ActResult>
  select: Of<SelectRequest, ActResult>
  scroll: Of<ScrollRequest, ActResult>
  drag: Of<DragRequest, ActResult>
  upload: Of<UploadRequest, ActResult>
  paste: Of<PasteRequest, ActResult>
  stash: Of<Piece & MaybeTargeted, { bytes: number }>
  wait: Of<WaitRequest, WaitResult>
  html: Of<MaybeTargeted, PageHtml>
  storage: Of<object, PageStorage>
  read: Of<Targeted, ElementReading>
  frame: Of<object, FrameInfo>
  through: Of<ThroughRequest, Through>
  asks: Of<object, { likely: boolean }>
  /** What is different since the last answer of any kind, after an act in another frame. */
  changes: Of<{ max_tokens: number }, { changes: string | null }>
  /** Answers dialogs from now on; with null no longer, and tells what was asked meanwhile. */
  answer: Of<{ policy: DialogPolicy | null }, { raised: PageDialog[] }>
  /** Begins to learn what changes by itself, before anything is done. */
  prepare: Of<object, object>
  /** The page does not go where the act that runs had it go. */
  stays: Of<{ instead: Instead }, object>
  measure: Of<MeasureRequest, Measured>
  marks: Of<{ seen_only: boolean }, { marks: Mark[] }>
  frame_box: Of<{ index: number }, { box: Box | null }>
  metrics: Of<object, Metrics>
  uses: Of<{ wanted: DeviceUses }, DeviceUses>
  storage_write: Of<StorageWrite, StorageWritten>
  indexeddb: Of<IndexedRequest, IndexedData>
}

export type PageMethod = keyof PageMethods

export interface CallContext {
  /** The number that this document gets if it has none yet; refs are `d<document>e<n>`. */
  document: number
  /** Names the call for `stop`. */
  call: string
  /** When the answer must be there, epoch ms. */
  deadline: number
  /** Which hand an act is to be done with, and its pass to what is outside of the document. */
  hand?: Hand
  pass?: string
  /** An act on what is likely to make the page ask something is not done, and the answer says so. */
  unless_asks?: true
  /** How dialogs are answered where the browser lets nobody else do so. */
  dialogs?: DialogPolicy
}

/** `document` is the number that the document really has, `url` its address. */
export type PageAnswer<T> = { document: number; url: string } & (
  | {
      ok: true
      value: T
      /** Where links lead that would have opened a tab: an act held them back. */
      opens?: readonly string[]
    }
  | { ok: false; failure: FailureJson; asks?: true }
)

/** The one door into a document. */
export interface PageAgent {
  readonly version: string
  call<M extends PageMethod>(
    method: M,
    params: PageMethods[M]['params'],
    context: CallContext,
  ): Promise<PageAnswer<PageMethods[M]['result']>>
  /** The caller of `call` no longer wants its answer, which is then `cancelled`. */
  stop(call: string): void
}

type Handlers = {
  [M in PageMethod]: (
    params: PageMethods[M]['params'],
    limit: Limit,
    loan: Loan,
  ) => PageMethods[M]['result'] | Promise<PageMethods[M]['result']>
}

interface Loan {
  hand?: Hand | undefined
  pass?: string | null | undefined
  dialogs?: DialogPolicy | undefined
}

/** Calls after which no act is to be expected. After all others it is learned what changes by itself. */
const CALM = new Set<PageMethod>([
  ...(['find', 'seek', 'path', 'changes'] as const),
  ...(['html', 'storage', 'read', 'frame', 'through', 'asks', 'answer', 'stash', 'stays'] as const),
  ...(['measure', 'marks', 'frame_box', 'metrics', 'uses', 'indexeddb'] as const),
])

/**
 * @param onAct told right before an act: when the document is then replaced, that may be its effect
 * @param askOutside asks the worker; null where there is none
 */
export function createAgent(
  version: string,
  onAct: () => void,
  askOutside: AskOutside | null = null,
): PageAgent {
  const refs = new RefTable()
  const seen = new Seen(refs)
  const ambient = new AmbientWatch(onAct)
  const pointer = new Pointer()
  const stash = new Stash()
  const running = new Map<string, AbortController>()
  const opens = new WeakMap<Limit, readonly string[]>()
  let answers = new DialogAnswers(undefined)
  const acts = actors({ refs, seen, ambient, pointer }, opens, askOutside)

  const handlers: Handlers = {
    ...lookers(refs, seen),
    ...acting(acts, stash),
    stays: ({ instead }) => {
      ambient.stays(instead)
      return {}
    },
    stash: piece => stash.add(piece),
    answer: ({ policy }) => {
      answers.end()
      const { raised } = answers
      answers = new DialogAnswers(policy ?? undefined)
      return { raised }
    },
    ...stateHandlers(refs),
  }

  return {
    version,
    async call(method, params, { document, call, deadline, hand, pass, unless_asks, dialogs }) {
      if (!CALM.has(method)) ambient.keep()
      const controller = new AbortController()
      running.set(call, controller)
      const own = { document: refs.numberOf(document), url: location.href }
      try {
        if (unless_asks && mayAsk(elementNow(targetIn(params), refs))) return { ...own, ...WOULD_ASK }
        const limit: Limit = { action: method, started: Date.now(), deadline, signal: controller.signal }
        const value = await handlers[method](params, limit, { hand, pass, dialogs })
        const held = opens.get(limit) ?? []
        return { ...own, ok: true, value, ...(held.length > 0 && { opens: held }) }
      } catch (error) {
        return { ...own, ok: false, failure: failureJson(error) }
      } finally {
        running.delete(call)
      }
    },
    stop: call => running.get(call)?.abort(),
  }
}

/** What is done to the page as a person would do it. */
export type ActMethod = {
  [M in PageMethod]: PageMethods[M]['result'] extends ActResult ? M : never
}[PageMethod]

const acting = (acts: ReturnType<typeof actors>, stash: Stash): Pick<Handlers, ActMethod> => ({
  click: acts(click),
  type: acts(type),
  press: acts(press),
  hover: acts(hover),
  focus: acts(focus),
  check: acts(check),
  select: acts(select),
  scroll: acts(scroll),
  drag: acts(drag),
  upload: acts((params, context) => upload(params, context, stash)),
  paste: acts((params, context) => paste(params, context, stash)),
})

const WOULD_ASK = {
  ok: false,
  asks: true,
  failure: PageFailure.of('internal', { reason: 'the page is likely to ask something' }).json,
} as const

const targetIn = (params: object): string | null =>
  'target' in params && typeof params.target === 'string' ? params.target : null

type Parts = Pick<ActContext, 'refs' | 'ambient' | 'pointer'> & { seen: Seen }
type Act<P> = (params: P, context: ActContext) => Promise<ActResult>

/** Makes handlers of acts: one at a time, told with what changed; `opens` gets the links that they held back. */
function actors(
  { seen, ...parts }: Parts,
  opens: WeakMap<Limit, readonly string[]>,
  askOutside: AskOutside | null,
) {
  const inTurn = turns()
  return <P>(act: Act<P>) =>
    (params: P, limit: Limit, { hand = 'auto', pass = null, dialogs }: Loan): Promise<ActResult> => {
      const outside = new Outside(hand, pass, askOutside)
      return inTurn(limit, async () => {
        const links = new LinkWatch()
        const answers = new DialogAnswers(dialogs)
        try {
          const result = await withChanges(seen, limit, () => act(params, { ...parts, limit, outside }))
          return answers.raised.length === 0 ? result : { ...result, dialogs: answers.raised }
        } finally {
          answers.end()
          opens.set(limit, links.end())
        }
      })
    }
}

type LookMethod =
  | 'snapshot'
  | 'find'
  | 'seek'
  | 'path'
  | 'wait'
  | 'html'
  | 'storage'
  | 'read'
  | 'frame'
  | 'asks'
  | 'changes'
  | 'prepare'
  | 'through'

const lookers = (refs: RefTable, seen: Seen): Pick<Handlers, LookMethod> => ({
  snapshot: async ({ target, ...rest }, limit) => {
    const root = target === null ? null : await awaitElement(target, refs, limit)
    return takeSnapshot({ ...rest, root }, { refs, seen }, limit)
  },
  find: (params, limit) => find(params, target => findAll(target, refs), refs, limit),
  path: async ({ target }, limit) => ({ path: domPathOf(await awaitElement(target, refs, limit)) }),
  seek: ({ target }) => ({ count: findAll(target, refs).length }),
  wait: (params, limit) => waitFor(params, refs, limit),
  html: async ({ target }, limit) =>
    readHtml(target === null ? null : await awaitElement(target, refs, limit)),
  storage: () => readStorage(),
  read: async ({ target }, limit) => readElement(await awaitElement(target, refs, limit)),
  frame: () => readFrame(),
  asks: () => ({ likely: mayAskToStay() }),
  changes: async ({ max_tokens }, limit) => ({ changes: await seen.afterAct(false, limit, max_tokens) }),
  prepare: () => ({}),
  through: params => pointThrough(params),
})

type StateMethod = 'measure' | 'marks' | 'frame_box' | 'metrics' | 'uses' | 'storage_write' | 'indexeddb'

const stateHandlers = (refs: RefTable): Pick<Handlers, StateMethod> => ({
  measure: async ({ target, reveal }, limit) =>
    measure(target === null ? null : await awaitElement(target, refs, limit), reveal),
  marks: async ({ seen_only }, limit) => ({ marks: await marksOf(refs, limit, seen_only) }),
  frame_box: ({ index }) => ({ box: frameBox(index) }),
  metrics: () => readMetrics(),
  uses: ({ wanted }) => deviceUses(wanted),
  storage_write: params => writeStorage(params),
  indexeddb: params => readIndexed(params),
})

async function withChanges(seen: Seen, limit: Limit, act: () => Promise<ActResult>): Promise<ActResult> {
  await seen.begin(limit)
  const result = await act()
  const changes = await seen.afterAct(result.effects.includes('focus'), limit)
  return changes === null ? result : { ...result, changes }
}

/** Null when it is not there, or not yet. */
function elementNow(target: string | null, refs: RefTable): Element | null {
  if (target === null) return focusedElement()
  try {
    return locate(target, refs)
  } catch (error) {
    if (error instanceof PageFailure) return null
    throw error
  }
}

/** Acts on one document come one after the other: two pointers at once would tear each other's clicks. */
function turns(): <T>(limit: Limit, act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (limit, act) => {
    const turn = last.then(() => {
      if (timeLeft(limit) <= 0) throw deadlineExceeded(limit)
      return act()
    })
    // The next one has its turn however this one ends.
    last = Promise.allSettled([turn])
    return turn
  }
}

const GLOBAL = '__unicliPage'

/** Puts the agent into this world, once per version. Pages do not see an extension's world. */
export function installAgent(
  version: string,
  onAct: () => void = () => undefined,
  askOutside: AskOutside | null = null,
): void {
  const world = globalThis as { [GLOBAL]?: PageAgent }
  if (world[GLOBAL]?.version === version) return
  Object.defineProperty(world, GLOBAL, {
    value: createAgent(version, onAct, askOutside),
    enumerable: false,
    configurable: true,
  })
}
