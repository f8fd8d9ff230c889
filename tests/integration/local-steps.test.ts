import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAdapters } from '../support/overlay.ts'
import { type Product, startProduct } from '../support/product.ts'

const SORTED = `type: desktop
strategy: public
effect: read
executables: [sort, node]
env: [LOCAL_STEPS_GREETING]
args:
  words: {type: array, items: string, required: true}
example: {words: [b, a]}
pipeline:
  - set: {all: "\${{ args.words | join('\\n') }}"}
  - pipe: {commands: [[sort, -u]], stdin: "\${{ vars.all }}\\n", parse: lines, effect: read}
`

const FAILING = `type: desktop
strategy: public
effect: read
executables: [node]
pipeline:
  - exec:
      argv: [node, -e, "console.error('no such record'); process.exit(2)"]
      effect: read
`

let product: Product
beforeAll(async () => {
  product = await startProduct()
  await product.cli('list')
  await addAdapters(product, 'local', { sorted: SORTED, failing: FAILING })
})
afterAll(() => product?.close())

describe('files as operations', () => {
  const path = () => join(product.env.unicliHome, 'files', 'notes.json')

  it('are written and read in the folder that is always granted', async () => {
    const written = await product.run('files.write_file', { path: 'notes.json', content: { 桥: 1 } })
    expect(written.data).toEqual({ path: path(), bytes: expect.any(Number) })
    expect(JSON.parse(await readFile(path(), 'utf8'))).toEqual({ 桥: 1 })
    const read = await product.cli('files', 'read_file', 'notes.json', '--parse', 'json')
    expect(read.json().data).toEqual({ 桥: 1 })
  })

  it('are not touched elsewhere, also not by a person who may do anything, until the folder is granted', async () => {
    const other = join(product.env.home, 'Downloads')
    await mkdir(other)
    await writeFile(join(other, 'a.txt'), 'x')
    const refused = await product.cli('files', 'read_file', '~/Downloads/a.txt')
    expect(refused.code).toBe(77)
    expect(refused.json().error?.code).toBe('path_not_granted')
    await product.cli('config', 'set', 'files.granted', '[~/Downloads]')
    expect((await product.cli('files', 'read_file', '~/Downloads/a.txt')).json().data).toBe('x')
    expect(
      (await product.run('files.read_file', { path: join(product.env.unicliHome, 'token') })).error?.code,
    ).toBe('path_not_granted')
    await product.cli('config', 'unset', 'files.granted')
  })

  it('offer no program to callers: only adapters start one', async () => {
    const { operations } = await (await product.http('/v1/operations')).json()
    const ids = operations.map(({ operation }: { operation: string }) => operation)
    expect(ids).toContain('files.unzip')
    expect(ids.filter((id: string) => /exec|pipe/.test(id))).toEqual([])
  })
})

describe('an adapter that starts programs', () => {
  it('gets their output', async () => {
    const { data, error } = await product.run('local.sorted', { words: ['乙', 'b', 'a', 'b'] })
    expect(error).toBeNull()
    expect(data).toHaveLength(3)
    expect(data).toEqual(expect.arrayContaining(['a', 'b', '乙']))
  })

  it('fails with what the program said', async () => {
    const { code, json } = await product.cli('local', 'failing')
    expect(code).toBe(69)
    expect(json().error).toMatchObject({ code: 'command_failed', step: 'exec' })
    expect(json().error?.message).toContain('no such record')
  })
})
