/** For a Chromium that asks nobody anything at its first start and goes to the network by itself for nothing. */
export const QUIET_FLAGS: readonly string[] = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--password-store=basic',
  '--use-mock-keychain',
  '--hide-crash-restore-bubble',
]
