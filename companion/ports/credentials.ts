/** A secret that a run sends along from now on, and that no template can read. */
export interface Credential {
  /** In lower case. */
  header: string
  value: string
  /** Origins that it is sent to, and no others. */
  origins: readonly string[]
}

export interface CredentialPort {
  use(credential: Credential): void
  /** What an earlier run kept and what still holds; null when there is none. `key` must be a hash. */
  recall(key: string): string | null
  /** Kept in memory until that time (epoch ms), for later runs too. */
  keep(key: string, value: string, until: number): void
}
