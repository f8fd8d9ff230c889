import { Failure } from '../../../shared/failures.ts'
import { nearestName } from '../../kernel/nearest.ts'

/** The word as one of those that are known. Fails with usage, naming what was probably meant. */
export function choice<T extends string>(word: string, known: readonly T[], where: string): T {
  const found = known.find(each => each === word)
  if (found !== undefined) return found
  const near = nearestName(word, known)
  throw new Failure('usage', {
    problem: `${where} does not know "${word}"; it takes ${known.join(', ')}.`,
    hint: near === null ? `For example: ${known[0]}` : `Did you mean ${near}?`,
  })
}
