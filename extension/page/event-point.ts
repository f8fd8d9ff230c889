import type { Point } from './hit-test.ts'

/** What all events of a pointer at a point of this document have, of clicks and drags alike. */
export const eventAt = (point: Point): MouseEventInit => ({
  bubbles: true,
  cancelable: true,
  composed: true,
  view: window,
  clientX: point.x,
  clientY: point.y,
  screenX: window.screenX + point.x,
  screenY: window.screenY + point.y,
})
