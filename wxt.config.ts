import preact from '@preact/preset-vite'
import { defineConfig, type UserManifest } from 'wxt'
import packageJson from './package.json' with { type: 'json' }
import { EXTENSION_KEY, FIREFOX_ID } from './shared/identity.ts'

const PERMISSIONS = [
  'nativeMessaging',
  'storage',
  'tabs',
  'scripting',
  'cookies',
  'alarms',
  'declarativeNetRequestWithHostAccess',
  'webNavigation',
  'webRequest',
  'notifications',
  'downloads',
]

/** What Firefox has no counterpart for: the debugger protocol, offscreen documents, tab groups. */
const CHROMIUM_PERMISSIONS = ['debugger', 'offscreen', 'tabGroups']

/** Asked of the person when they want it: nothing of it is needed to act. */
const OPTIONAL_PERMISSIONS: UserManifest['optional_permissions'] = ['history', 'bookmarks']
/** Chromium has the debugger for what these do: reading the bodies of answers on their way. */
const FIREFOX_PERMISSIONS = ['webRequestBlocking', 'webRequestFilterResponse']

/** The part of the manifest that only one browser understands. */
const OWN_PART: Record<'chrome' | 'firefox', UserManifest> = {
  chrome: {
    key: EXTENSION_KEY,
    permissions: [...PERMISSIONS, ...CHROMIUM_PERMISSIONS],
    optional_permissions: [...OPTIONAL_PERMISSIONS, 'contentSettings'],
    minimum_chrome_version: '125',
  },
  firefox: {
    permissions: [...PERMISSIONS, ...FIREFOX_PERMISSIONS],
    optional_permissions: OPTIONAL_PERMISSIONS,
    browser_specific_settings: {
      gecko: {
        id: FIREFOX_ID,
        // The first version that reads data_collection_permissions.
        strict_min_version: '140.0',
        // Nothing leaves the machine: the extension talks to the native host beside it only.
        data_collection_permissions: { required: ['none'] },
      },
    },
  },
}

export default defineConfig({
  srcDir: 'extension',
  // Relative to the root, not to srcDir.
  publicDir: 'extension/public',
  outDir: 'dist/extension',
  outDirTemplate: '{{browser}}',
  manifestVersion: 3,
  // Auto-imports would hide edges of the module graph from the import rules and from knip.
  imports: false,
  modules: ['@wxt-dev/webextension-polyfill'],
  vite: () => ({
    plugins: [preact()],
    build: { minify: false },
    define: { __VERSION__: JSON.stringify(packageJson.version) },
  }),
  manifest: ({ browser }) => ({
    name: 'Uni-CLI Bridge',
    description: '__MSG_extensionDescription__',
    version: packageJson.version,
    default_locale: 'en',
    host_permissions: ['<all_urls>'],
    content_security_policy: {
      extension_pages:
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
    ...OWN_PART[browser === 'firefox' ? 'firefox' : 'chrome'],
  }),
})
