/** Put in by every bundler and by vitest, from package.json. */
declare const __VERSION__: string

/** The version of this build, such as `1.2.3`; companion, host and extension of one build share it. */
export const VERSION: string = __VERSION__
