import { execFileSync } from 'node:child_process'

/** The default value of a key of the Windows registry; null when there is none. */
export function readKey(key: string): string | null {
  try {
    const answer = execFileSync('reg.exe', ['query', key, '/ve'], { stdio: ['ignore', 'pipe', 'ignore'] })
    return /REG_SZ\s+(.*)/.exec(answer.toString())?.[1]?.trim() ?? null
  } catch (error) {
    // reg.exe exits with 1 when there is no such key.
    if (error instanceof Error && 'status' in error) return null
    throw error
  }
}

export function writeKey(key: string, value: string): void {
  execFileSync('reg.exe', ['add', key, '/ve', '/t', 'REG_SZ', '/d', value, '/f'], { stdio: 'ignore' })
}

export function deleteKey(key: string): void {
  execFileSync('reg.exe', ['delete', key, '/f'], { stdio: 'ignore' })
}
