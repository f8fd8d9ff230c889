import type { Hit, Point } from './hit-test.ts'
import type { Observation } from './observe.ts'
import type { Outside } from './outside.ts'
import type { ClickWay } from './pointer.ts'

/** Clicks and moves by the browser's own pointer. */

/** Resolves with the point of the tab where the pointer now is. */
export async function moveTrusted(point: Point, outside: Outside): Promise<Point> {
  const { at } = await outside.place(point)
  await outside.input({ do: 'move', at })
  return at
}

/** @returns whether the press came to this document at all */
export async function clickTrusted(
  hit: Hit,
  { count, button, modifiers }: ClickWay,
  observation: Observation,
  outside: Outside,
): Promise<boolean> {
  const at = await moveTrusted(hit.point, outside)
  await observation.settle('press')
  observation.forget()
  const life = new AbortController()
  const options = { capture: true, signal: life.signal }
  let arrived = false
  window.addEventListener('pointerdown', () => (arrived = true), options)
  for (const type of ['click', 'auxclick', 'contextmenu'])
    window.addEventListener(type, () => observation.enter('act'), options)
  try {
    for (let nth = 1; nth <= count; nth += 1) {
      const held = { at, button, count: nth, modifiers: [...modifiers] }
      observation.enter('press')
      await outside.input({ do: 'down', ...held })
      await outside.input({ do: 'up', ...held })
      await observation.settle('act')
    }
  } finally {
    life.abort()
  }
  return arrived
}
