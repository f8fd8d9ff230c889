import type { Evidence } from '../../shared/envelope.ts'
import type { EvidencePiece } from '../../shared/evidence-piece.ts'
import type { EvidencePort } from '../ports/state.ts'

/** A panel is narrow and a link carries other things as well: the command line shows the rest. */
const MAX_PIECES = 8
const MAX_PICTURE_BYTES = 1_500_000
const TEXT_CHARS = 1500

/** What a run left behind, as far as a panel shows it. Pieces that were deleted since are left out. */
export const evidencePieces = (all: readonly Evidence[], store: Pick<EvidencePort, 'get'>): EvidencePiece[] =>
  all.slice(0, MAX_PIECES).flatMap(({ kind, id }) => {
    const kept = store.get(id)
    if (kept === null) return []
    const { content, media_type } = kept
    return [{ kind, id, bytes: content.byteLength, ...shownOf(Buffer.from(content), media_type) }]
  })

function shownOf(content: Buffer, type: string): Pick<EvidencePiece, 'picture' | 'text'> {
  if (/^image\/(png|jpeg|webp)$/.test(type)) {
    const fits = content.byteLength <= MAX_PICTURE_BYTES
    return { picture: fits ? `data:${type};base64,${content.toString('base64')}` : null, text: null }
  }
  if (!/^text\/|json/.test(type)) return { picture: null, text: null }
  // Four bytes are the longest character.
  const text = content.subarray(0, TEXT_CHARS * 4).toString('utf8')
  return { picture: null, text: text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}…` : text }
}
