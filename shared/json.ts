/** What a text says as JSON; `otherwise` where it says none. */
export function parsedJson(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return otherwise
    throw error
  }
}

/** An object with named fields: no list, nothing. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
