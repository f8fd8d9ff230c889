import type { WireParams } from '../../shared/wire.ts'

/** One click of the left button, wherever the target can be hit. */
export const PLAIN_CLICK: Omit<WireParams<'page.click'>, 'session' | 'target'> = {
  count: 1,
  button: 'left',
  modifiers: [],
  position: null,
}
