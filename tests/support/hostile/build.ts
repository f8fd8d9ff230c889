import { crx, defineManifest } from '@crxjs/vite-plugin'
import { build } from 'vite'

/**
 * An extension of somebody else, with every permission that helps to get at a companion on the same machine.
 * The key gives it an id of its own, the same on every machine.
 */
const manifest = defineManifest({
  manifest_version: 3,
  name: 'Hostile extension of the tests',
  version: '1.0.0',
  key:
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAgdibHtGdPgWx+AfQuhwDlDQwlbRbWH4YlWSiVmrFKJlOLTGVJEQiMeflGGavt' +
    'TFgvZ0V6aavEZpvk/6Y+relcWuQhu//NWRRWxQavAdZXtkxLTMaOSks2PY+YR8vynZDAn8jL0C0Cv1x7q+0270ZJ2WjEu2DpMHdI1Gc1C' +
    'rLS1hHVISIEJOLDWCXjPeUqlumb6QQIBX0hh2YEeZYBZDYVmN2BBQeODEDJMQlUww0DG1Y25VzzlG0UzkFHicCwCVtebLJa3+WIQ9dxkP' +
    '0DZlCTtL1l980f/oEnno+cF/dccLCC2oIBhXgBjYdubHwvtNFhQVipqjBfOH3FM/EPsWWFwIDAQAB',
  permissions: ['nativeMessaging', 'declarativeNetRequestWithHostAccess'],
  host_permissions: ['http://127.0.0.1/*', 'http://localhost/*'],
  background: { service_worker: 'worker.ts', type: 'module' },
})

/** Builds the hostile extension; load `outDir` into Chromium and call its worker through `attempt`. */
export async function buildHostileExtension(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'error',
    plugins: [crx({ manifest })],
    build: { outDir, emptyOutDir: true, minify: false },
  })
}
