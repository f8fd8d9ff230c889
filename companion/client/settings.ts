/** What the thin client is started with. */
export interface ClientSettings {
  /** Words after `unicli`. */
  argv: readonly string[]
  version: string
  /** The file that is the companion. */
  entry: string
  env: NodeJS.ProcessEnv
}
