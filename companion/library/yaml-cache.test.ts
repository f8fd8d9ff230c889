import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { createYamlReader } from './yaml-cache.ts'
import { lineAt, readYaml, YamlFault } from './yaml-source.ts'

let dir: TempDir
let file: string
beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir.path, 'cache', 'adapters.json')
})
afterEach(() => dir.remove())

const TEXT = 'site: demo\nlist:\n  - one\n  - two:\n      deep: 1\n'

describe('the lines of a YAML text', () => {
  it('are those of its keys and items, and of the nearest part for what is not there', () => {
    const source = readYaml(TEXT)
    const at = (...path: (string | number)[]): number => lineAt(source, path)
    expect([at(), at('site'), at('list'), at('list', 0), at('list', 1, 'two', 'deep')]).toEqual([
      1, 1, 2, 3, 5,
    ])
    expect([at('none'), at('list', 1, 'two', 'none'), at('site', 'deeper'), at('constructor')]).toEqual([
      1, 4, 1, 1,
    ])
  })
})

describe('what is kept of YAML texts', () => {
  it('gives the same as reading anew, also at the next start', () => {
    const first = createYamlReader(file, recordingLog())
    first.read('/a.yaml', TEXT)
    first.save()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(createYamlReader(file, recordingLog()).read('/a.yaml', TEXT)).toMatchObject(readYaml(TEXT))
  })

  it('is believed for the same text alone', () => {
    const first = createYamlReader(file, recordingLog())
    first.read('/a.yaml', TEXT)
    first.save()
    const planted = JSON.parse(readFileSync(file, 'utf8'))
    planted.sources['/a.yaml'].value = { site: 'from the cache' }
    writeFileSync(file, JSON.stringify(planted))
    const second = createYamlReader(file, recordingLog())
    expect(second.read('/a.yaml', TEXT).value).toEqual({ site: 'from the cache' })
    expect(second.read('/a.yaml', 'site: changed\n').value).toEqual({ site: 'changed' })
    expect(second.read('/b.yaml', TEXT).value).toMatchObject({ site: 'demo' })
  })

  it('forgets files that are gone and keeps no faulty text', () => {
    const first = createYamlReader(file, recordingLog())
    first.read('/gone.yaml', TEXT)
    expect(() => first.read('/bad.yaml', 'site: [')).toThrowError(YamlFault)
    first.save()
    const second = createYamlReader(file, recordingLog())
    second.read('/new.yaml', TEXT)
    second.save()
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).sources)).toEqual(['/new.yaml'])
  })

  it('costs nothing but time when it is damaged or cannot be written', () => {
    const log = recordingLog()
    createYamlReader(file, log).save()
    const reader = createYamlReader(file, log)
    reader.read('/a.yaml', TEXT)
    reader.save()
    for (const damage of ['{"form":', '{"form":99,"sources":{}}', '[]']) {
      writeFileSync(file, damage)
      expect(createYamlReader(file, log).read('/a.yaml', TEXT).value).toMatchObject({ site: 'demo' })
    }
    const blocked = createYamlReader(join(file, 'below-a-file.json'), log)
    blocked.read('/a.yaml', TEXT)
    blocked.save()
    expect(log.lines.map(line => line.level)).toContain('warn')
  })
})
