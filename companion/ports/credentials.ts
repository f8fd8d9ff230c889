/** A secret that a run sends along from now on, and that no step can read back. */
export interface Credential {
  /** In lower case. */
  header: string
  value: string
  /** Origins that it is sent to, and no others. */
  origins: readonly string[]
}

export interface CredentialPort {
  use(credential: Credential): void
}
