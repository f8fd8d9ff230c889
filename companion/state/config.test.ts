import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { openConfig } from './config.ts'

let dir: TempDir
let file: string
beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir.path, 'home', 'config.yaml')
})
afterEach(() => dir.remove())

const write = (text: string): void => {
  openConfig(file).set('log.level', 'info')
  writeFileSync(file, text)
}

describe('the settings', () => {
  it('have defaults while there is no file', () => {
    const config = openConfig(file)
    expect(config.get('policy.profile')).toBe('careful')
    expect(config.get('timeouts.default_ms')).toBe(30_000)
    expect(config.get('output.format')).toBeUndefined()
    expect(config.get('sites.mediawiki.base')).toBeUndefined()
    expect(config.path()).toBe(file)
  })

  it('are written typed, for their owner alone, and seen by whoever has them open', () => {
    const [writer, reader] = [openConfig(file), openConfig(file)]
    expect(reader.get('http.port')).toBe(0)
    expect(writer.set('http.port', '8080')).toBe(8080)
    expect(reader.get('http.port')).toBe(8080)
    expect(writer.set('browser.profile', '42')).toBe('42')
    expect(reader.get('browser.profile')).toBe('42')
    expect(writer.set('sites.mediawiki.base', 'http://127.0.0.1:8085')).toBe('http://127.0.0.1:8085')
    expect(reader.get('sites.mediawiki.base')).toBe('http://127.0.0.1:8085')
    expect(writer.set('sites.mediawiki.namespace', '4')).toBe(4)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(dir.path, 'home'))).toEqual(['config.yaml'])
  })

  it('keep the comments and the order of the file', () => {
    write(
      '# mine\nlog:\n  level: debug # loud\nsites:\n  # ours\n  mediawiki:\n    base: https://w.example\n',
    )
    const config = openConfig(file)
    config.set('log.level', 'warn')
    config.set('output.format', 'json')
    expect(readFileSync(file, 'utf8')).toBe(
      '# mine\nlog:\n  level: warn # loud\nsites:\n  # ours\n  mediawiki:\n    base: https://w.example\noutput:\n  format: json\n',
    )
  })

  it('are unset with the groups that they leave empty, and comments stay', () => {
    write('# mine\n\nlog:\n  level: debug\n')
    const config = openConfig(file)
    expect(config.unset('http.port')).toBe(false)
    expect(config.unset('log.level')).toBe(true)
    expect(config.get('log.level')).toBe('info')
    expect(readFileSync(file, 'utf8')).toContain('# mine')
    config.set('log.level', 'error')
    expect(readFileSync(file, 'utf8')).toBe('# mine\n\nlog:\n  level: error\n')
  })

  it('say where each value comes from', () => {
    const config = openConfig(file)
    config.set('log.level', 'debug')
    config.set('sites.mediawiki.base', 'https://w.example')
    const list = new Map(config.list().map(info => [info.key, info]))
    expect(list.get('log.level')).toMatchObject({ value: 'debug', default: 'info', source: 'file' })
    expect(list.get('policy.profile')).toMatchObject({ value: 'careful', source: 'default' })
    expect(list.get('output.format')).toMatchObject({ source: 'unset' })
    expect(list.get('sites.mediawiki.base')).toMatchObject({ value: 'https://w.example', source: 'file' })
    for (const info of list.values()) expect(info.doc).toMatch(/^[A-Z].*\.$/)
  })

  it('take a group that is there but empty', () => {
    write('sites:\n')
    openConfig(file).set('sites.mediawiki.base', 'https://w.example')
    expect(openConfig(file).get('sites.mediawiki.base')).toBe('https://w.example')
  })

  it.each([
    ['log.level', 'loud', /log\.level/],
    ['http.port', '70000', /http\.port/],
    ['http.port', 'eighty', /http\.port/],
    ['sites.mediawiki.base', 'ftp://w.example', /sites\.mediawiki\.base/],
    ['sites.mediawiki.base', 'w.example', /sites\.mediawiki\.base/],
    ['log.levle', 'info', /did you mean log\.level\?/],
    ['sites.UPPER.base', 'https://w.example', /no such setting/],
    ['__proto__.x', '1', /no such setting/],
  ])('refuse %s = %s and write nothing', (key, text, reason) => {
    expect(() => openConfig(file).set(key, text)).toThrowError(reason)
    expect(() => readFileSync(file)).toThrowError(/ENOENT/)
  })

  it('name the key that a person misspelt by hand, and give the others', () => {
    write('http:\n  port: many\nlog:\n  level: debug\n')
    const config = openConfig(file)
    expect(config.get('log.level')).toBe('debug')
    expect(() => config.get('http.port')).toThrowError(
      expect.objectContaining({
        code: 'config_invalid',
        params: expect.objectContaining({ key: 'http.port' }),
      }),
    )
  })

  it('say where they cannot be written', () => {
    writeFileSync(join(dir.path, 'home'), 'a file where the folder should be')
    expect(() => openConfig(file).set('log.level', 'info')).toThrowError(
      expect.objectContaining({ code: 'state_unavailable' }),
    )
  })

  it('name the line of a file that is no YAML, and do not overwrite it', () => {
    write('log:\n  level: [debug\nhttp:\n')
    const config = openConfig(file)
    expect(() => config.get('log.level')).toThrowError(/config\.yaml:\d/)
    expect(() => config.set('log.level', 'info')).toThrowError(
      expect.objectContaining({ code: 'config_invalid' }),
    )
    expect(readFileSync(file, 'utf8')).toContain('[debug')
  })
})
