import type { Paths } from '../state/paths.ts'
import { readIfThere, removeFile, replaceFile } from './atomic-file.ts'

/** Where the running companion is. The file may be left over from one that was killed. */
export interface Discovery {
  pid: number
  version: string
  protocol: number
  socket: string
  http_url: string | null
  /** Epoch ms. */
  started_at: number
}

/** Null when there is none, or when it is not readable as one. */
export function readDiscovery(paths: Paths): Discovery | null {
  const text = readIfThere(paths.discovery)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    return isDiscovery(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

export const writeDiscovery = (paths: Paths, discovery: Discovery): void =>
  replaceFile(paths.discovery, `${JSON.stringify(discovery, null, 2)}\n`)

export const removeDiscovery = (paths: Paths): void => removeFile(paths.discovery)

/** The secret that everybody must show to the companion; null before the companion first ran. */
export const readToken = (paths: Paths): string | null => readIfThere(paths.token)?.trim() ?? null

const isDiscovery = (value: unknown): value is Discovery =>
  typeof value === 'object' &&
  value !== null &&
  'pid' in value &&
  typeof value.pid === 'number' &&
  'socket' in value &&
  typeof value.socket === 'string'
