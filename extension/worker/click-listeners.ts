import type { ClickListeners } from '../../shared/outside.ts'
import type { Send } from './debug-attachment.ts'

interface Remote {
  objectId?: string
  description?: string
}

const CLICK_EVENTS = new Set(
  'click mousedown mouseup pointerdown pointerup auxclick dblclick touchstart touchend'.split(' '),
)
/** So many elements of a path are looked at, from the innermost out. */
const MAX_PATH = 40
const WORLD = 'unicli'
/** Handlers are told of objects in a group alone; releasing it lets go of all of them. */
const objectGroup = 'unicli.listeners'

/**
 * Who of the page listens to clicks at a point, on the element there and all around it. It is looked up from a world
 * of its own, so that nothing of the page runs for it.
 */
export async function clickListeners(
  send: Send,
  { x, y }: { x: number; y: number },
): Promise<ClickListeners> {
  try {
    const path = await pathAt(send, Math.round(x), Math.round(y))
    if (path === null) return 'unknown'
    const handlers: string[] = []
    for (const objectId of path) handlers.push(...(await handlersOf(send, objectId)))
    if (handlers.length === 0) return 'none'
    return handlers.every(isGuarded) ? 'trusted' : 'some'
  } catch (error) {
    console.debug('listeners could not be looked up', error)
    return 'unknown'
  } finally {
    await send('Runtime.releaseObjectGroup', { objectGroup })
  }
}

/** A handler of which nothing runs for an event that a script made: it begins with `if (!e.isTrusted) return` or alike. */
export const isGuarded = (source: string): boolean => GUARD.test(source) && !/\belse\b/.test(source)

const GUARD =
  /^(?:async\s*)?(?:function\b[^(]*\([^)]*\)\s*|\(?[\w$]*\)?\s*=>\s*|[\w$]+\s*\([^)]*\)\s*)\{?\s*(?:if\s*\(\s*(?:!\s*[\w$]+\.isTrusted\s*\)\s*\{?\s*return\b|[\w$]+\.isTrusted\b)|[\w$]+\.isTrusted\s*&&)/

/**
 * The nodes from the one at the point to the document, and its window, as objects of the page's own world. Null where
 * the frame at the point is another process's.
 */
async function pathAt(send: Send, x: number, y: number): Promise<string[] | null> {
  await send('DOM.enable')
  await send('DOM.getDocument', { depth: 0 })
  const { backendNodeId, frameId } = await send<{ backendNodeId: number; frameId: string }>(
    'DOM.getNodeForLocation',
    { x, y, ignorePointerEventsNone: false },
  )
  const { executionContextId } = await send<{ executionContextId: number }>('Page.createIsolatedWorld', {
    frameId,
    worldName: WORLD,
  })
  const { object } = await send<{ object: Remote }>('DOM.resolveNode', {
    backendNodeId,
    executionContextId,
    objectGroup,
  })
  if (/^i?frame\b/.test(object.description ?? '')) return null
  const { result } = await send<{ result: Remote }>('Runtime.callFunctionOn', {
    objectGroup,
    objectId: object.objectId,
    functionDeclaration: `function () {
      const path = []
      for (let at = this; at && path.length < ${MAX_PATH}; at = at.parentNode ?? at.host) path.push(at)
      return path
    }`,
  })
  const { result: properties } = await send<{ result: { name: string; value?: Remote }[] }>(
    'Runtime.getProperties',
    { objectId: result.objectId, ownProperties: true },
  )
  const nodes = properties.filter(({ name }) => /^\d+$/.test(name))
  const path = await Promise.all(nodes.map(({ value }) => inPageWorld(send, value?.objectId ?? '')))
  const window = await send<{ result: Remote }>('Runtime.callFunctionOn', {
    objectGroup,
    objectId: path.at(-1),
    functionDeclaration: 'function () { return this.defaultView ?? this }',
  })
  return [...path, window.result.objectId ?? '']
}

async function inPageWorld(send: Send, objectId: string): Promise<string> {
  const { node } = await send<{ node: { backendNodeId: number } }>('DOM.describeNode', { objectId })
  const { object } = await send<{ object: Remote }>('DOM.resolveNode', {
    backendNodeId: node.backendNodeId,
    objectGroup,
  })
  return object.objectId ?? ''
}

/** The source of each handler. */
async function handlersOf(send: Send, objectId: string): Promise<string[]> {
  const { listeners } = await send<{ listeners: { type: string; handler?: Remote }[] }>(
    'DOMDebugger.getEventListeners',
    { objectId, depth: 1 },
  )
  return listeners
    .filter(({ type }) => CLICK_EVENTS.has(type))
    .map(({ handler }) => handler?.description ?? '')
}
