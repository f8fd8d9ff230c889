/**
 * The architecture as rules: which folder may import which. Type imports count. A comment says how to repair.
 * scripts/import-rules.mjs runs them, and fails when a source file was not read at all.
 */
const TEST = '\\.test\\.tsx?$'

/** Our own folders. What lies outside of them is npm or Node. */
const OURS = '^(shared|companion|extension|tests|scripts|bench)/'

/**
 * Nothing of ours but `to` may be imported by `from`. Tests beside the source may also use tests/support.
 *
 * @param {string} from @param {string[]} to @param {string} comment
 */
const only = (from, to, comment) => ({
  name: `${from.replace(/[^a-z]+/g, '-').replace(/^-|-$/g, '')}-imports`,
  severity: 'error',
  comment,
  from: { path: `^${from}`, pathNot: TEST },
  to: { path: OURS, pathNot: to.map(folder => `^${folder}`) },
})

/** @param {string} name @param {object} from @param {object} to @param {string} comment */
const never = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })

/** @param {string[]} names */
const packages = names => `(^|/)node_modules/(${names.join('|')})/`

const folders = [
  only(
    'shared/',
    ['shared/'],
    'shared runs in pages, workers and Node alike: move what it needs into shared.',
  ),
  only(
    'companion/ports/',
    ['companion/ports/', 'shared/'],
    'A port is types only: take the value type from shared.',
  ),
  only(
    'companion/kernel/',
    ['companion/kernel/', 'companion/ports/', 'shared/'],
    'The kernel knows no step, substrate or surface: take a port as an argument, and let compose.ts pass it in.',
  ),
  only(
    'companion/steps/',
    [
      'companion/steps/',
      'companion/kernel/(filters/|step|catalog|expression|pattern|json-path)',
      'companion/ports/',
      'shared/',
    ],
    'A step reaches the world through ctx: declare the port under needs, do not import its substrate.',
  ),
  only(
    'companion/substrates/([^/]+)/',
    ['companion/substrates/$1/', 'companion/ports/', 'shared/'],
    'A substrate implements its port alone: share through the port or shared, never with another substrate.',
  ),
  only(
    'companion/library/',
    ['companion/library/', 'companion/kernel/', 'companion/ports/', 'shared/'],
    'The library finds and reads adapters: what it needs from outside comes in as an argument from compose.ts.',
  ),
  only(
    'companion/auth/',
    ['companion/auth/', 'companion/kernel/', 'companion/ports/', 'shared/'],
    'The operations of auth use ports alone: what they need comes in from compose/auth.ts.',
  ),
  only(
    'companion/capture/',
    ['companion/capture/', 'companion/kernel/', 'companion/ports/', 'shared/'],
    'Capture keeps what browsers tell: the place for what is long comes in from compose.ts.',
  ),
  only(
    'companion/state/',
    ['companion/state/', 'companion/kernel/', 'companion/ports/', 'shared/'],
    'State owns the data folder and nothing else: pass it what it shall keep.',
  ),
  only(
    'companion/delivery/',
    ['companion/delivery/', 'companion/kernel/', 'companion/ports/', 'shared/'],
    'Delivery runs operations through the kernel and keeps its state behind a port.',
  ),
  only(
    'companion/managed/',
    [
      'companion/managed/',
      'companion/kernel/',
      'companion/daemon/',
      'companion/setup/',
      'companion/state/paths.ts',
      'shared/',
    ],
    'Browsers of our own are processes with a native host: what else is linked comes in from compose/managed.ts.',
  ),
  only(
    'companion/remote/',
    ['companion/remote/', 'companion/daemon/payload.ts', 'companion/daemon/payload-stream.ts', 'shared/'],
    "A remote browser's side is a program of its own: it speaks to the companion through the native host.",
  ),
  only(
    'companion/repair/',
    ['companion/repair/', 'companion/kernel/', 'companion/library/', 'companion/ports/', 'shared/'],
    'Repair compares runs of the kernel with fixtures of the library: whatever it writes goes through a port.',
  ),
  only(
    'companion/daemon/',
    ['companion/daemon/', 'companion/state/paths', 'shared/'],
    'The daemon folder is about one process per user: it needs paths, and takes the rest from compose.ts.',
  ),
  only(
    'companion/client/',
    [
      'companion/(client|daemon|setup|state)/',
      'companion/surfaces/(cli|mcp)/',
      'companion/kernel/nearest',
      'shared/',
    ],
    'The client is the thin side of CLI and MCP: it asks the companion, and must start without kernel and steps.',
  ),
  only(
    'companion/setup/',
    ['companion/setup/', 'companion/daemon/', 'companion/state/', 'shared/'],
    'Setup installs the native host: it needs paths and the daemon, no operation.',
  ),
  only(
    'companion/surfaces/([^/]+)/',
    ['companion/surfaces/$1/', 'companion/kernel/', 'companion/library/', 'companion/ports/', 'shared/'],
    'A surface describes, calls the kernel and formats: move what two surfaces share into the kernel.',
  ),
  only(
    'companion/reference/',
    ['companion/(reference|kernel|steps|library|surfaces)/', 'shared/'],
    'A generator turns catalogue and tables into text: it constructs nothing.',
  ),
  only(
    'companion/(bin/|compose)',
    ['companion/', 'shared/'],
    'The companion never imports the extension: use shared.',
  ),
  only(
    'extension/page/',
    ['extension/page/', 'shared/'],
    'A page function is sent into pages alone: it can use other page files and the types of shared.',
  ),
  only(
    'extension/hook/',
    ['extension/hook/', 'shared/'],
    'The capture hook is a script of its own in every page: it can use other hook files and shared.',
  ),
  only(
    'extension/worker/',
    ['extension/worker/', 'extension/page/', 'shared/'],
    'The worker is what handlers stand on: move the code into worker, or pass it in from the entrypoint.',
  ),
  only(
    'extension/handlers/',
    ['extension/handlers/', 'extension/worker/', 'extension/page/', 'shared/'],
    'A handler implements one namespace of the wire with what worker and page offer.',
  ),
  only(
    'extension/ui/',
    ['extension/ui/', 'shared/'],
    'A panel speaks to the worker by messages: put their types into shared.',
  ),
  only(
    'extension/entrypoints/',
    ['extension/', 'shared/'],
    'An entrypoint starts one thing of the extension: use shared for what the companion knows too.',
  ),
  only(
    'scripts/',
    ['scripts/'],
    'A script runs before anything is built: bundle the source first, as gen.mjs does.',
  ),
]

const libraries = [
  never(
    'shared-packages',
    { path: '^shared/', pathNot: TEST },
    { pathNot: ['^shared/', packages(['zod'])] },
    'shared imports zod and nothing else, not even Node: it also runs in pages.',
  ),
  never(
    'page-types-only',
    { path: '^extension/page/', pathNot: TEST },
    { path: '^shared/', pathNot: '^shared/tokens\\.ts$', dependencyTypesNot: ['type-only'] },
    'A page function takes no value from shared but the count of tokens: it would drag zod into every page. Use import type.',
  ),
  never(
    'hono-in-http',
    { path: '^(shared|companion|extension)/', pathNot: ['^companion/surfaces/(http|mcp)/', TEST] },
    { path: packages(['hono', '@hono/[^/]+']) },
    'Only the HTTP surface, and MCP over it, knows the web framework.',
  ),
  never(
    'mcp-in-mcp',
    { path: '^(shared|companion|extension)/', pathNot: ['^companion/(surfaces|substrates)/mcp/', TEST] },
    { path: packages(['@modelcontextprotocol/[^/]+']) },
    'Only the MCP surface and the MCP substrate know the SDK: publish through the one, call through the port of the other.',
  ),
  never(
    'disk-has-owners',
    {
      path: '^(shared|companion|extension)/',
      pathNot: [
        '^companion/(state|daemon|setup|library|managed|remote|substrates|bin|surfaces/http)/',
        '^companion/compose',
        TEST,
      ],
    },
    { path: '^(node:)?fs(/promises)?$', dependencyTypes: ['core'] },
    'Only those who own files touch the disk: take a port of state, or pass the content in.',
  ),
  never(
    'no-node-in-extension',
    { path: '^extension/', pathNot: TEST },
    { dependencyTypes: ['core'] },
    'There is no Node in a browser: use the Web API.',
  ),
]

/** What something outside of the module graph starts: Node, the browser, gen.mjs. */
const ENTRIES = '^(companion/bin/|companion/reference/index\\.ts|extension/entrypoints/)'

const hygiene = [
  never(
    'no-cycles',
    {},
    { circular: true },
    'Move what both sides need into a third file, or pass it in as an argument.',
  ),
  never(
    'no-test-in-product',
    { path: '^(shared|companion|extension|scripts|bench)/', pathNot: TEST },
    { path: ['^tests/', TEST] },
    'Product code never imports a test: move the piece that both need beside the product code.',
  ),
  never(
    'no-unreachable',
    { path: ENTRIES },
    { path: '^(shared|companion|extension)/', pathNot: [TEST, ENTRIES, '\\.d\\.ts$'], reachable: false },
    'No executable, generator or entrypoint leads here: delete the file or import it.',
  ),
  never(
    'resolvable',
    { pathNot: '^bench/' },
    { couldNotResolve: true },
    'There is no such file or package: mend the path, or add the package to package.json.',
  ),
]

export default {
  forbidden: [...folders, ...libraries, ...hygiene],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|\\.wxt|\\.cache)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'module', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
