import { useEffect, useState } from 'preact/hooks'
import type { EvidencePiece } from '../../shared/evidence-piece.ts'
import type { EvidenceOf } from './panel-client.ts'
import { t } from './text.ts'

/** What a run left behind: pictures, and the beginnings of texts. */
export function EvidenceOfRun({ id, evidenceOf }: { id: string; evidenceOf: EvidenceOf }) {
  const [found, setFound] = useState<EvidencePiece[] | string | null>(null)
  useEffect(() => void evidenceOf(id).then(setFound), [id])
  if (found === null) return <p aria-busy="true" />
  if (typeof found === 'string') return <p class="problem">{found}</p>
  if (found.length === 0) return <p class="quiet">{t('evidenceGone')}</p>
  return found.map(piece => <Piece key={piece.id} piece={piece} />)
}

/** A page's own text stands here as a text and as nothing else. */
function Piece({ piece: { kind, bytes = 0, picture, text } }: { piece: EvidencePiece }) {
  const what = picture === null ? t(`evidence_${kind}`) : t('evidencePicture')
  return (
    <figure class="evidence">
      {picture === null ? null : <img src={picture} alt={what} />}
      {text === null ? null : <pre>{text}</pre>}
      <figcaption class="quiet">
        {what} · {Math.ceil(bytes / 1000)} kB
      </figcaption>
    </figure>
  )
}
