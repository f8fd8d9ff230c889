import { Failure } from '../../shared/failures.ts'
import type { Box } from '../page/picturing.ts'

/** What becomes of a picture after it was taken. Nothing here touches the page. */

/** A box with a label, in CSS pixels from the left upper corner of what was taken. */
export interface Label {
  text: string
  box: Box
}

export interface PictureRequest {
  /** What of the picture is wanted, in CSS pixels; null for all. */
  crop: Box | null
  /** Of what was taken, in CSS pixels. */
  taken: { width: number; height: number }
  scale: number
  labels: readonly Label[]
  format: 'png' | 'jpeg' | 'webp'
  quality: number
  max_bytes: number
}

export interface Picture {
  blob: Blob
  width: number
  height: number
  scale: number
  quality: number | null
}

/** Below this no quality is worth to be seen. */
const QUALITIES = [70, 50, 35]
const MIN_SIDE = 16

/** Fails with frame_too_large when nothing that can be seen is small enough. */
export async function develop(raw: Blob, request: PictureRequest): Promise<Picture> {
  const bitmap = await createImageBitmap(raw)
  try {
    return await fitted(bitmap, request)
  } finally {
    bitmap.close()
  }
}

async function fitted(bitmap: ImageBitmap, request: PictureRequest): Promise<Picture> {
  const { format, quality, max_bytes, taken } = request
  const qualities = format === 'png' ? [null] : [quality, ...QUALITIES.filter(each => each < quality)]
  let scale = request.scale
  for (;;) {
    const canvas = drawn(bitmap, request, scale)
    let bytes = 0
    for (const each of qualities) {
      const blob = await canvas.convertToBlob({
        type: `image/${format}`,
        ...(each === null ? {} : { quality: each / 100 }),
      })
      bytes = blob.size
      const { width, height } = canvas
      if (bytes <= max_bytes) return { blob, width, height, scale, quality: each }
    }
    scale *= Math.min(0.9, Math.max(0.5, Math.sqrt(max_bytes / bytes) * 0.95))
    const side = Math.min(request.crop?.width ?? taken.width, request.crop?.height ?? taken.height)
    if (side * scale < Math.min(MIN_SIDE, side))
      throw new Failure('frame_too_large', { bytes, limit: max_bytes })
  }
}

function drawn(bitmap: ImageBitmap, { crop, taken, labels }: PictureRequest, scale: number): OffscreenCanvas {
  const wanted = crop ?? { x: 0, y: 0, ...taken }
  const ratio = bitmap.width / taken.width
  const width = Math.max(1, Math.round(wanted.width * scale))
  const height = Math.max(1, Math.round(wanted.height * scale))
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (context === null) throw new Failure('internal', { reason: 'the browser gives no canvas' })
  context.fillStyle = 'white'
  context.fillRect(0, 0, width, height)
  context.imageSmoothingQuality = 'high'
  const from = [wanted.x * ratio, wanted.y * ratio, wanted.width * ratio, wanted.height * ratio] as const
  context.drawImage(bitmap, ...from, 0, 0, width, height)
  for (const [index, { text, box }] of labels.entries()) {
    const moved = { ...box, x: box.x - wanted.x, y: box.y - wanted.y }
    drawLabel(context, { text, box: moved }, { scale, color: COLORS[index % COLORS.length] ?? '' })
  }
  return canvas
}

/** Dark enough for white letters. */
const COLORS = ['#c2185b', '#1565c0', '#2e7d32', '#6a1b9a', '#bf360c', '#00695c', '#4e342e', '#283593']
const LETTER_HEIGHT = 11
const PADDING = 2

/** Above the box, or inside where there is no room above; letters keep their size however small the picture is. */
function drawLabel(
  context: OffscreenCanvasRenderingContext2D,
  { text, box }: Label,
  { scale, color }: { scale: number; color: string },
): void {
  const [x, y, width, height] = [box.x, box.y, box.width, box.height].map(side => side * scale) as [
    number,
    number,
    number,
    number,
  ]
  context.strokeStyle = color
  context.lineWidth = 2
  context.strokeRect(x, y, width, height)
  context.font = `bold ${LETTER_HEIGHT}px sans-serif`
  const wide = context.measureText(text).width + 2 * PADDING
  const high = LETTER_HEIGHT + 2 * PADDING
  const left = Math.max(0, Math.min(x, context.canvas.width - wide))
  const top = y >= high ? y - high : Math.max(0, y)
  context.fillStyle = color
  context.fillRect(left, top, wide, high)
  context.fillStyle = 'white'
  context.textBaseline = 'top'
  context.fillText(text, left + PADDING, top + PADDING)
}
