/** The package has no types of its own. */
declare module 'har-validator' {
  /** Rejects with what is wrong. */
  export function har(data: unknown): Promise<unknown>
}
