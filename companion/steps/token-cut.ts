import { tokensOf } from '../../shared/tokens.ts'

export interface TokenCut {
  text: string
  /** Estimated, of the text. */
  tokens: number
  /** Estimated, of what comes after it. */
  more: number
}

/** A part of a text by estimated tokens, cut between paragraphs; one that is longer than all of it between lines. */
export function withinTokens(text: string, skip: number, most: number): TokenCut {
  const taken: string[] = []
  let tokens = 0
  let passed = 0
  let more = 0
  for (const part of partsOf(text, most)) {
    const cost = tokensOf(part) + 1
    if (passed + cost <= skip) passed += cost
    else if (more === 0 && (tokens + cost <= most || taken.length === 0)) {
      taken.push(part)
      tokens += cost
    } else more += cost
  }
  return { text: taken.join('\n\n'), tokens, more }
}

function partsOf(text: string, most: number): string[] {
  const parts = text.split(/\n{2,}/)
  return parts.flatMap(part => (tokensOf(part) <= most ? [part] : hardCut(part, most)))
}

/** A single block over the budget, such as a table or a page in one line. */
function hardCut(text: string, most: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const line of text.split('\n').flatMap(line => line.match(/.{1,400}/gsu) ?? [''])) {
    if (piece !== '' && tokensOf(piece) + tokensOf(line) > most) {
      pieces.push(piece)
      piece = ''
    }
    piece += piece === '' ? line : `\n${line}`
  }
  return piece === '' ? pieces : [...pieces, piece]
}
