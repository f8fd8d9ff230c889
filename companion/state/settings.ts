import { z } from 'zod'
import { DEFAULT_PROFILE, PROFILE_DOCS, PROFILES } from '../../shared/policy.ts'
import { LOG_LEVELS } from './log.ts'

/** One known setting. `schema` is of the typed value; a person's text is read as YAML first. */
export interface Setting {
  doc: string
  schema: z.ZodType
  /** Undefined when there is none. */
  default: unknown
}

const setting = <S extends z.ZodType>(
  doc: string,
  schema: S,
  fallback: z.infer<S> | undefined = undefined,
): Setting => ({ doc, schema, default: fallback })

/** Every setting by its dotted key. */
export const SETTINGS: Readonly<Record<string, Setting>> = {
  'output.format': setting(
    'How the command line prints answers; unset, it suits where they go.',
    z.enum(['table', 'json', 'yaml', 'md', 'csv', 'compact']),
  ),
  'policy.profile': setting(
    `Who is asked where no rule of policy.yaml says it: ${PROFILES.map(name => `${name} ${PROFILE_DOCS[name]}`).join('; ')}.`,
    z.enum(PROFILES),
    DEFAULT_PROFILE,
  ),
  'policy.paused': setting(
    'Whether the person holds agents back: no new operation starts, those that run go on.',
    z.boolean(),
    false,
  ),
  'approvals.over_http': setting(
    'Whether a yes to an approval may come over HTTP, where an agent could give it to itself.',
    z.boolean(),
    false,
  ),
  'files.granted': setting(
    'Folders, such as [~/Downloads], in which operations may read and write files; ~/.unicli/files always is one.',
    z.array(z.string().min(1)),
    [],
  ),
  'adapters.dirs': setting(
    "Folders with adapters beside ~/.unicli/adapters, whose adapters win over one's own; the last wins.",
    z.array(z.string().regex(/^(~|\/|[A-Za-z]:[\\/])/, 'must begin with / or ~/')),
    [],
  ),
  'http.port': setting(
    'Port of the HTTP surface on 127.0.0.1; 0 takes a free one.',
    z.int().min(0).max(65_535),
    0,
  ),
  'log.level': setting('The least grave entries that the log keeps.', z.enum(LOG_LEVELS), 'info'),
  'auth.keychain': setting(
    "Whether the key to kept sign-ins lies in the system's keychain, where there is one.",
    z.boolean(),
    true,
  ),
  'browser.profile': setting('Browser profile that is used when none is named.', z.string().min(1)),
  'timeouts.default_ms': setting(
    'How long an operation may take when the caller does not say.',
    z.int().min(100).max(3_600_000),
    30_000,
  ),
  'ledger.days': setting('How long runs are remembered.', z.int().min(1).max(3650), 30),
  'ledger.max_mb': setting(
    'How large the memory of runs may grow, in megabytes.',
    z.int().min(1).max(100_000),
    200,
  ),
  'cache.max_mb': setting(
    'How large the cache of answers may grow, in megabytes.',
    z.int().min(1).max(100_000),
    100,
  ),
  'evidence.max_mb': setting('How much evidence is kept, in megabytes.', z.int().min(1).max(100_000), 500),
}

const FAMILY_KEY = /^(sites|services)\.[a-z0-9][a-z0-9_-]*\.([a-z0-9][a-z0-9_-]*)$/
const address = z.url({ protocol: /^https?$/ })
/** How the families of settings, per site and per service, are listed while nothing of them is set. */
export const FAMILY_SETTINGS: Readonly<Record<string, Setting>> = {
  'sites.<site>.base': setting(
    "Address of one's own installation of a site, such as a wiki's.",
    z.url({ protocol: /^https?$/ }),
  ),
  'sites.<site>.<name>': setting(
    'Anything else that an adapter of that site reads.',
    z.union([z.string(), z.number(), z.boolean()]),
  ),
  'services.<service>.client_id': setting(
    "What a service that one signs in to calls one's own registration there.",
    z.string().min(1),
  ),
  'services.<service>.scopes': setting('What a sign-in shall allow.', z.array(z.string().min(1))),
  'services.<service>.origins': setting('Where the tokens of a service may be sent.', z.array(address)),
  'services.<service>.issuer': setting('OpenID Connect issuer, asked for the endpoints.', address),
  'services.<service>.device_authorization_endpoint': setting('Where a sign-in begins.', address),
  'services.<service>.token_endpoint': setting('Where tokens are given and renewed.', address),
  'services.<service>.revocation_endpoint': setting('Where tokens are taken back.', address),
}

/** The setting that a dotted key names, or null. */
export function settingOf(key: string): Setting | null {
  if (Object.hasOwn(SETTINGS, key)) return SETTINGS[key] ?? null
  const [, family, name] = FAMILY_KEY.exec(key) ?? []
  if (family === 'services') return FAMILY_SETTINGS[`services.<service>.${name}`] ?? null
  if (family === undefined) return null
  return FAMILY_SETTINGS[name === 'base' ? 'sites.<site>.base' : 'sites.<site>.<name>'] ?? null
}
