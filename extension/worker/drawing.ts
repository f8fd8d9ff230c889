import type { Send } from './debug-attachment.ts'

/** Frames of it are thrown away: the smallest that the browser makes. */
const SCREENCAST = { format: 'jpeg', quality: 1, maxWidth: 8, maxHeight: 8 }

/**
 * Makes a tab in the background draw, which else draws a frame a second or none at all. A screencast does it, and shows
 * the page nothing: neither focus nor visibility changes.
 */
export async function startDrawing(send: Send): Promise<void> {
  await send('Page.startScreencast', SCREENCAST)
}

export async function stopDrawing(send: Send): Promise<void> {
  await send('Page.stopScreencast').catch(error => console.debug('the screencast was over', error))
}
