import { Failure } from '../../shared/failures.ts'
import type { WireHandlers, WireParams } from '../../shared/wire.ts'
import type { Box, Measured } from '../page/picturing.ts'
import { toBase64 } from '../worker/base64.ts'
import { framesOf } from '../worker/frames.ts'
import type { PageMethods } from '../worker/page-agent.ts'
import { develop, type Label } from '../worker/picture.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { frameOffset, type Rest } from './frame-offset.ts'
import { frameOfTarget } from './target.ts'

type Params = WireParams<'page.screenshot'>

/** What is wanted, in the coordinates of the tab's viewport. */
interface Area extends Box {
  /** It reaches beyond the viewport, and is drawn all the same. */
  beyond: boolean
  truncated: boolean
}

/** Browsers draw no larger picture. */
const MAX_SIDE = 16_000
/** Nor one of more pixels before whoever waits for it has given up. */
const MAX_PIXELS = 40_000_000

export const screenshotHandler =
  (parts: WorkerParts): WireHandlers['page.screenshot'] =>
  async (params, { signal, deadline }) => {
    const { session, format, quality, scale, max_bytes } = params
    const tab = await parts.sessions.tabOf(session)
    const rest: Rest = { session, tab, signal, deadline }
    const element = params.target === null ? null : await boxOfTarget(parts, rest, params.target)
    const page = await ask(parts, rest, 0, 'measure', { target: null, reveal: false })
    const area = areaOf(params, page, element)
    const marks = params.annotate ? await marksIn(parts, rest, area) : []
    const taken = area.beyond ? area : { x: 0, y: 0, ...page.viewport }
    const crop = element === null || area.beyond ? null : area
    const asIs = crop === null && marks.length === 0 && scale === 1 && page.ratio === 1
    const clip = area.beyond ? { ...boxOf(area), x: area.x + page.scroll.x, y: area.y + page.scroll.y } : null
    const exposure = { clip, format: asIs ? format : 'png', quality } as const
    const raw = await parts.camera.take(tab, exposure, signal)
    const labels = marks.map(({ text, box }) => ({
      text,
      box: { ...box, x: box.x - taken.x, y: box.y - taken.y },
    }))
    const { blob, ...made } =
      asIs && raw.size <= max_bytes && raw.type === `image/${format}`
        ? { blob: raw, ...(await sizeOf(raw)), scale, quality: format === 'png' ? null : quality }
        : await develop(raw, { crop, taken, scale, labels, format, quality, max_bytes })
    const { url, title } = await parts.sessions.info(session)
    return {
      ...made,
      image: toBase64(new Uint8Array(await blob.arrayBuffer())),
      media_type: blob.type,
      truncated: area.truncated,
      legend: marks.map(({ legend }) => legend),
      url,
      title,
    }
  }

async function ask<M extends 'measure' | 'marks'>(
  { documents }: WorkerParts,
  { tab, ...rest }: Rest,
  frame: number,
  method: M,
  params: PageMethods[M]['params'],
): Promise<PageMethods[M]['result']> {
  const answer = await documents.ask({ ...rest, place: { tab, frame }, method, params })
  if (answer === null) throw new Failure('navigation_failed', { url: 'the page', reason: 'it was replaced' })
  if (!answer.ok) throw Failure.fromJSON(answer.failure)
  return answer.value
}

/** Brought into view, in the viewport of the tab. */
export async function boxOfTarget(parts: WorkerParts, rest: Rest, target: string): Promise<Box> {
  const frame = await frameOfTarget(parts, rest, target)
  const { box } = await ask(parts, rest, frame, 'measure', { target, reveal: true })
  if (box === null || box.width === 0 || box.height === 0)
    throw new Failure('element_not_ready', { target, reason: 'it has no size on the page' })
  if (frame === 0) return box
  const offset = await frameOffset(parts, rest, await framesOf(parts.documents, rest), frame)
  return { ...box, x: box.x + offset.x, y: box.y + offset.y }
}

function areaOf(params: Params, { viewport, scroll, page, ratio }: Measured, element: Box | null): Area {
  const drawable = (box: Box): Area => {
    const drawn = drawableOf(box, ratio)
    const truncated = drawn.width < box.width || drawn.height < box.height
    return { ...box, ...drawn, beyond: true, truncated }
  }
  if (element !== null) {
    const seen = within(element, { x: 0, y: 0, ...viewport })
    const isWhole = seen.width >= element.width - 1 && seen.height >= element.height - 1
    return isWhole ? { ...seen, beyond: false, truncated: false } : drawable(element)
  }
  if (params.full_page) return drawable({ x: -scroll.x, y: -scroll.y, ...page })
  return { x: 0, y: 0, ...viewport, beyond: false, truncated: false }
}

/** As much of it from its beginning as can be drawn. */
export function drawableOf(
  { width, height }: Pick<Box, 'width' | 'height'>,
  ratio: number,
): Pick<Box, 'width' | 'height'> {
  const side = MAX_SIDE / ratio
  const wide = Math.min(width, side)
  return { width: wide, height: Math.min(height, side, Math.floor(MAX_PIXELS / ratio / ratio / wide)) }
}

const boxOf = ({ x, y, width, height }: Box): Box => ({ x, y, width, height })

function within(inner: Box, outer: Box): Box {
  const x = Math.max(inner.x, outer.x)
  const y = Math.max(inner.y, outer.y)
  return {
    x,
    y,
    width: Math.max(0, Math.min(inner.x + inner.width, outer.x + outer.width) - x),
    height: Math.max(0, Math.min(inner.y + inner.height, outer.y + outer.height) - y),
  }
}

/** What can be acted on in the area, in every frame, in the viewport of the tab. */
async function marksIn(parts: WorkerParts, rest: Rest, area: Area): Promise<(Label & { legend: string })[]> {
  const frames = await framesOf(parts.documents, rest)
  const found = await Promise.all(
    [0, ...frames.map(({ id }) => id)].map(async frame => {
      const offset = await frameOffset(parts, rest, frames, frame)
      const seen_only = frame !== 0 || !area.beyond
      const { marks } = await ask(parts, rest, frame, 'marks', { seen_only })
      return marks.map(mark => ({ ...mark, box: placed(mark.box, offset) }))
    }),
  )
  return found
    .flat()
    .map(mark => ({ ...mark, box: within(mark.box, area) }))
    .filter(({ box }) => box.width > 0 && box.height > 0)
    .map(({ ref, role, name, box }) => ({
      ...{ text: ref, box },
      legend: `${ref} ${role}${name === '' ? '' : ` ${JSON.stringify(name)}`}`,
    }))
}

const placed = (box: Box, frame: Box): Box =>
  within({ ...box, x: box.x + frame.x, y: box.y + frame.y }, frame)

async function sizeOf(blob: Blob): Promise<{ width: number; height: number }> {
  const bitmap = await createImageBitmap(blob)
  const { width, height } = bitmap
  bitmap.close()
  return { width, height }
}
