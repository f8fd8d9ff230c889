import { closest, distance } from 'fastest-levenshtein'

/** The known name that a misspelt one probably meant, or null when none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (known.length === 0) return null
  const best = closest(name, [...known])
  return distance(name, best) <= Math.max(2, Math.floor(name.length / 3)) ? best : null
}

export const didYouMean = (name: string, known: readonly string[]): string => {
  const best = nearestName(name, known)
  return best === null ? `known: ${[...known].toSorted().join(', ')}` : `did you mean "${best}"?`
}
