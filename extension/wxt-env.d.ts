import 'wxt/browser'

/**
 * What `wxt prepare` would generate from the names of entrypoints and messages, said once by hand, so that types
 * are checked without a build before.
 */
declare module 'wxt/browser' {
  interface WxtRuntime {
    getURL(path: string): string
  }
  interface WxtI18n {
    getMessage(name: string, substitutions?: string | string[]): string
  }
}
