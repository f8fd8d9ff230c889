import { EXTENSION_ID, FIREFOX_ID, HOST_NAME } from '../../shared/identity.ts'
import type { BrowserKind } from './browsers.ts'

/** What a browser reads to find the host, and whom it lets call it: our extension and no other. */
export function manifestText(kind: BrowserKind, wrapper: string): string {
  const callers =
    kind === 'firefox'
      ? { allowed_extensions: [FIREFOX_ID] }
      : { allowed_origins: [`chrome-extension://${EXTENSION_ID}/`] }
  const manifest = {
    name: HOST_NAME,
    description: 'Links this browser to the unicli companion.',
    path: wrapper,
    type: 'stdio',
    ...callers,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

export interface WrapperSettings {
  node: string
  /** dist/bin/host.cjs. */
  host: string
  /** Null for the default one. */
  unicliHome: string | null
}

/**
 * The program that the browser starts. It names Node by its whole path, because a browser that was started from
 * a desktop has not the shell's PATH, and it drops NODE_OPTIONS, which could keep the host from starting.
 */
export function wrapperText({ node, host, unicliHome }: WrapperSettings, platform: NodeJS.Platform): string {
  const lines =
    platform === 'win32'
      ? [
          '@echo off',
          'rem Written by "unicli setup".',
          'set NODE_OPTIONS=',
          ...(unicliHome === null ? [] : [`set "UNICLI_HOME=${forBatch(unicliHome)}"`]),
          `"${forBatch(node)}" "${forBatch(host)}" %*`,
        ]
      : [
          '#!/bin/sh',
          '# Written by "unicli setup".',
          'unset NODE_OPTIONS',
          ...(unicliHome === null ? [] : [`export UNICLI_HOME=${forShell(unicliHome)}`]),
          `exec ${forShell(node)} ${forShell(host)} "$@"`,
        ]
  return lines.join(platform === 'win32' ? '\r\n' : '\n').concat(platform === 'win32' ? '\r\n' : '\n')
}

const forShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** In a batch file a percent sign begins a variable, also between quotes. */
const forBatch = (text: string): string => text.replaceAll('%', '%%')
