/** What a fetch inside a page tells; the body is base64 because only JSON comes back from a page. */
export type PageFetchAnswer =
  | { ok: true; status: number; url: string; headers: Record<string, string>; body: string }
  | { ok: false; kind: 'too_large' | 'network'; reason: string }

export interface PageFetchRequest {
  url: string
  method: string
  headers: Record<string, string>
  body: string | null
  /** The body is base64 of its bytes. */
  isBase64: boolean
  maxBytes: number
  /** Milliseconds until the fetch is given up. */
  timeoutMs: number
}

/** Injected into a page: uses nothing from outside of itself. */
export async function fetchInPage(request: PageFetchRequest): Promise<PageFetchAnswer> {
  const tooLarge = { ok: false as const, kind: 'too_large' as const, reason: '' }
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.isBase64
        ? Uint8Array.from(atob(request.body ?? ''), char => char.charCodeAt(0))
        : request.body,
      credentials: 'include',
      signal: AbortSignal.timeout(Math.max(1, request.timeoutMs)),
    })
    if (Number(response.headers.get('content-length') ?? 0) > request.maxBytes) {
      await response.body?.cancel()
      return tooLarge
    }
    const pieces: string[] = []
    const reader = response.body?.getReader()
    let size = 0
    // Base64 works on groups of three bytes, so what is left over waits for the next part.
    let rest = new Uint8Array(0)
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      size += value?.length ?? 0
      if (size > request.maxBytes) {
        await reader?.cancel()
        return tooLarge
      }
      const joined = new Uint8Array(rest.length + (value?.length ?? 0))
      joined.set(rest)
      if (value !== undefined) joined.set(value, rest.length)
      const whole = done ? joined.length : joined.length - (joined.length % 3)
      let binary = ''
      for (let at = 0; at < whole; at += 0x8000)
        binary += String.fromCharCode(...joined.subarray(at, Math.min(whole, at + 0x8000)))
      pieces.push(btoa(binary))
      rest = joined.subarray(whole)
      if (done) break
    }
    const headers = Object.fromEntries(response.headers.entries())
    return { ok: true, status: response.status, url: response.url, headers, body: pieces.join('') }
  } catch (error) {
    return { ok: false, kind: 'network', reason: error instanceof Error ? error.message : String(error) }
  }
}
