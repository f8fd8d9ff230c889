import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { openConfig } from '../state/config.ts'
import { openServices } from './services.ts'

const PACKAGED = fileURLToPath(new URL('../../adapters', import.meta.url))

let dir: TempDir
beforeEach(async () => {
  dir = await makeTempDir()
})
afterEach(() => dir.remove())

function setUp() {
  const config = openConfig(join(dir.path, 'config.yaml'))
  const log = recordingLog()
  const services = openServices({ folders: () => [PACKAGED, join(dir.path, 'adapters')], config, log })
  const write = (name: string, text: string) => {
    mkdirSync(join(dir.path, 'adapters', name), { recursive: true })
    writeFileSync(join(dir.path, 'adapters', name, '_service.yaml'), text)
  }
  return { config, log, services, write }
}

describe('services that people sign in to', () => {
  it('come with the product, all sound, each saying where its tokens may go and how to get a client id', () => {
    const { services, log } = setUp()
    expect(services.list().map(({ name }) => name)).toEqual(['github', 'gitlab', 'microsoft'])
    for (const service of services.list()) {
      expect(service.origins).not.toEqual([])
      expect(service.setup).toContain(`services.${service.name}.client_id`)
    }
    expect(log.lines).toEqual([])
  })

  it('can be changed key by key by settings, and added by settings alone', () => {
    const { services, config } = setUp()
    config.set('services.github.client_id', 'Iv1.mine')
    config.set('services.github.scopes', '[repo, gist]')
    expect(services.get('github')).toMatchObject({
      clientId: 'Iv1.mine',
      scopes: ['repo', 'gist'],
      origins: ['https://api.github.com'],
    })
    config.set('services.work.issuer', 'https://id.example/realms/work')
    config.set('services.work.origins', '[https://api.example/v1]')
    expect(services.get('work')).toMatchObject({
      issuer: 'https://id.example/realms/work',
      origins: ['https://api.example'],
    })
    expect(services.list().map(({ name }) => name)).toContain('work')
    expect(() => config.set('services.work.isuer', 'x')).toThrow(/services\.<service>\.issuer/)
    expect(() => config.set('services.work.issuer', 'no address')).toThrow(/services\.work\.issuer/)
  })

  it("can be the person's own files, and a faulty one spoils no other", () => {
    const { services, write, log } = setUp()
    write('github', 'issuer: https://ghe.example\n')
    write('bad', 'isuer: https://x.example\n')
    expect(services.get('github')).toMatchObject({ issuer: 'https://ghe.example', tokenEndpoint: null })
    expect(() => services.get('bad')).toThrow(/_service\.yaml.*isuer/)
    expect(services.list().map(({ name }) => name)).toEqual(['github', 'gitlab', 'microsoft'])
    expect(log.lines.map(({ level }) => level)).toEqual(['warn'])
  })

  it('are none for other names', () => {
    const { services } = setUp()
    expect([services.get('nobody'), services.get('../github'), services.get('')]).toEqual([null, null, null])
  })
})
