import { chmod, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ensureSoftware } from '../../../scripts/system.mjs'
import { makeTempDir } from '../../support/temp.ts'

/** A PATH of its own, on which apt-get only writes down what it was told, and "installs" one program. */
async function machine(): Promise<{ said(): string; log(): Promise<string> }> {
  const { path, remove } = await makeTempDir()
  onTestFinished(remove)
  await symlink('/usr/bin/env', join(path, 'env'))
  const apt = [
    '#!/bin/sh',
    `echo "$DEBIAN_FRONTEND: $*" >> ${path}/log`,
    `[ "$1" = install ] && /bin/ln -s /bin/true ${path}/chromium`,
    'exit 0',
  ]
  await writeFile(join(path, 'apt-get'), `${apt.join('\n')}\n`)
  await chmod(join(path, 'apt-get'), 0o755)
  vi.stubEnv('PATH', path)
  const error = vi.spyOn(console, 'error').mockReturnValue()
  return {
    said: () => error.mock.calls.flat().join('\n'),
    log: () => readFile(join(path, 'log'), 'utf8'),
  }
}

test('root gets what is missing installed, and only once', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0)
  const { log } = await machine()
  expect(await ensureSoftware(['chromium'])).toEqual([])
  const first = await log()
  expect(first).toMatch(/^noninteractive: update .*\nnoninteractive: install -y .* chromium\n$/)
  expect(await ensureSoftware(['chromium'])).toEqual([])
  expect(await log()).toBe(first)
})

test('a person without sudo gets the one command to run, and the names of what is missing', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000)
  const { said } = await machine()
  expect(await ensureSoftware(['chromium', 'xvfb'])).toEqual(['chromium', 'xvfb'])
  expect(said()).toContain('sudo apt-get install -y --no-install-recommends chromium xvfb xauth')
})
