import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { pathsOf } from './paths.ts'

describe('the folder', () => {
  test('is ~/.unicli unless UNICLI_HOME names another, which may be relative', () => {
    vi.stubEnv('HOME', '/somebody')
    expect(pathsOf({}, 'linux')).toMatchObject({ home: '/somebody/.unicli', isDefaultHome: true })
    expect(pathsOf({ UNICLI_HOME: '' }, 'linux').home).toBe('/somebody/.unicli')
    expect(pathsOf({ UNICLI_HOME: '/other' }, 'linux')).toMatchObject({
      home: '/other',
      isDefaultHome: false,
    })
    expect(pathsOf({ UNICLI_HOME: 'here' }, 'linux').home).toBe(join(process.cwd(), 'here'))
  })
})

describe('the socket', () => {
  const long = `/${'long/'.repeat(20)}home`

  test('lies in run/ where its path fits', () => {
    expect(pathsOf({ UNICLI_HOME: '/short' }, 'linux').socket).toBe('/short/run/companion.sock')
  })

  test('lies in a folder of its own below the temporary one where it does not, the same each time', () => {
    const { socket } = pathsOf({ UNICLI_HOME: long }, 'linux')
    expect(socket).toMatch(
      new RegExp(`^${tmpdir()}/unicli-${process.getuid?.()}-[0-9a-f]{16}/companion.sock$`),
    )
    expect(pathsOf({ UNICLI_HOME: long }, 'linux').socket).toBe(socket)
    expect(pathsOf({ UNICLI_HOME: `${long}2` }, 'linux').socket).not.toBe(socket)
  })

  test('falls back to /tmp where the temporary folder is long too', () => {
    vi.stubEnv('TMPDIR', long)
    expect(pathsOf({ UNICLI_HOME: long }, 'linux').socket).toMatch(/^\/tmp\/unicli-/)
  })

  test('is a named pipe of this user and home on Windows', () => {
    const { socket } = pathsOf({ UNICLI_HOME: '/short' }, 'win32')
    expect(socket).toMatch(/^\\\\\.\\pipe\\unicli-[0-9a-f]{16}$/)
    expect(pathsOf({ UNICLI_HOME: '/other' }, 'win32').socket).not.toBe(socket)
  })
})
