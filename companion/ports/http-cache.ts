export interface CachedAnswer {
  status: number
  url: string
  /** Names in lower case; those that carry secrets are not among them. */
  headers: Record<string, string>
  body: Uint8Array
  /** When the site last gave or confirmed it, epoch ms. */
  at: number
}

/** Answers that may be given again. A key is a hash: it tells nothing of what was asked, or by whom. */
export interface HttpCachePort {
  /** Null when there is none, or it cannot be read. */
  get(key: string): CachedAnswer | null
  put(key: string, answer: CachedAnswer): void
}
