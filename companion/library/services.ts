import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { Service, ServicePort } from '../ports/auth.ts'
import type { LogPort } from '../ports/log.ts'
import type { ConfigStorePort } from '../ports/state.ts'
import { NAME } from './adapter-schema.ts'
import { readYaml } from './yaml-source.ts'

const FILE = '_service.yaml'
const url = z.url({ protocol: /^https?$/ })

/** `<site>/_service.yaml`, as its author writes it. */
export const ServiceFile = z.strictObject({
  issuer: url.optional().describe('OpenID Connect issuer, asked for the endpoints that are not given'),
  device_authorization_endpoint: url.optional(),
  token_endpoint: url.optional(),
  revocation_endpoint: url.optional(),
  client_id: z.string().min(1).optional().describe("of one's own registration at the service"),
  scopes: z.array(z.string().min(1)).default([]),
  origins: z.array(url).default([]).describe('where its tokens may be sent to'),
  setup: z.string().min(1).optional().describe('how to get a client id'),
})
type ServiceFile = z.infer<typeof ServiceFile>

export interface ServicesOptions {
  /** Adapter folders, absolute; a description in a later one replaces those before. */
  folders: () => readonly string[]
  /** `services.<name>.<key>` replaces a key, or describes a service that no file knows. */
  config: Pick<ConfigStorePort, 'list'>
  log: LogPort
}

/** Services that people sign in to. Read when they are asked for, which is seldom. */
export function openServices({ folders, config, log }: ServicesOptions): ServicePort {
  const get = (name: string): Service | null => {
    if (!NAME.test(name)) return null
    const file = fileOf(folders(), name)
    const own = ownSettings(config, name)
    if (file === null && Object.keys(own).length === 0) return null
    return serviceOf(name, { ...(file ?? ServiceFile.parse({})), ...own })
  }
  return {
    get,
    list: () =>
      namesOf(folders(), config).flatMap(name => {
        try {
          return get(name) ?? []
        } catch (error) {
          log.warn('the description of a service cannot be used', { service: name, error })
          return []
        }
      }),
  }
}

function serviceOf(name: string, file: ServiceFile): Service {
  return {
    name,
    issuer: file.issuer ?? null,
    deviceAuthorizationEndpoint: file.device_authorization_endpoint ?? null,
    tokenEndpoint: file.token_endpoint ?? null,
    revocationEndpoint: file.revocation_endpoint ?? null,
    clientId: file.client_id ?? null,
    scopes: file.scopes,
    origins: file.origins.map(address => new URL(address).origin),
    setup: file.setup ?? null,
  }
}

function fileOf(folders: readonly string[], name: string): ServiceFile | null {
  for (const folder of folders.toReversed()) {
    const file = join(folder, name, FILE)
    const text = readIfThere(file)
    if (text !== null) return parsed(file, text)
  }
  return null
}

function parsed(file: string, text: string): ServiceFile {
  try {
    return ServiceFile.parse(readYaml(text).value)
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    const said = error instanceof Error ? error.message : String(error)
    const reason = issue === undefined ? said : `${issue.message} at ${issue.path.join('.') || 'the top'}`
    throw new Failure('config_invalid', { key: file, reason })
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return null
    throw error
  }
}

/** The settings' schema lets nothing through that does not fit. */
function ownSettings(config: ServicesOptions['config'], name: string): Partial<ServiceFile> {
  const prefix = `services.${name}.`
  const set = config.list().filter(({ key, source }) => source === 'file' && key.startsWith(prefix))
  return Object.fromEntries(set.map(({ key, value }) => [key.slice(prefix.length), value]))
}

function namesOf(folders: readonly string[], config: ServicesOptions['config']): string[] {
  const described = folders.flatMap(folder =>
    foldersIn(folder).filter(name => readIfThere(join(folder, name, FILE)) !== null),
  )
  const set = config.list().flatMap(({ key, source }) => {
    const [family, name = ''] = key.split('.')
    return family === 'services' && source === 'file' ? [name] : []
  })
  return [...new Set([...described, ...set])].filter(name => NAME.test(name)).toSorted()
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(entry => entry.isDirectory() || entry.isSymbolicLink())
      .map(entry => entry.name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
