import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { openCookieFiles } from './cookies.ts'

let dir: TempDir
let log: ReturnType<typeof recordingLog>
beforeEach(async () => {
  dir = await makeTempDir()
  log = recordingLog()
})
afterEach(() => dir.remove())

const cookies = () => openCookieFiles({ folder: dir.path, log, now: () => 1_700_000_000_000 })
function write(name: string, content: string, mode = 0o600): void {
  writeFileSync(join(dir.path, name), content)
  chmodSync(join(dir.path, name), mode)
}

const sid = {
  name: 'sid',
  value: 'a=b;c',
  domain: '.wiki.example',
  path: '/',
  secure: true,
  http_only: true,
  same_site: 'lax',
  expires: 1_800_000_000,
}

describe('cookie files', () => {
  it('are null when the person made none', () => {
    expect(cookies().read('wiki')).toBeNull()
  })

  it('take our own format', () => {
    write('wiki.json', JSON.stringify({ cookies: [sid] }))
    expect(cookies().read('wiki')).toEqual([sid])
    expect(log.lines).toEqual([])
  })

  it('take the array that browser extensions export', () => {
    const exported = {
      domain: '.wiki.example',
      expirationDate: 1_800_000_000,
      hostOnly: false,
      httpOnly: true,
      name: 'sid',
      path: '/',
      sameSite: 'Lax',
      secure: true,
      session: false,
      storeId: '0',
      value: 'a=b;c',
    }
    const session = { domain: 'wiki.example', name: 's', value: '', sameSite: null, session: true }
    write('wiki.json', JSON.stringify([exported, session]))
    expect(cookies().read('wiki')).toEqual([
      sid,
      {
        name: 's',
        value: '',
        domain: 'wiki.example',
        path: '/',
        secure: false,
        http_only: false,
        same_site: 'unspecified',
        expires: null,
      },
    ])
  })

  it('take a Netscape cookies.txt, with its HttpOnly rows', () => {
    const text = [
      '# Netscape HTTP Cookie File',
      '',
      '#HttpOnly_.wiki.example\tTRUE\t/\tTRUE\t1800000000\tsid\ta=b;c',
      'wiki.example\tFALSE\t/w\tFALSE\t0\tempty\t',
    ]
    write('wiki.json', text.join('\r\n'))
    expect(cookies().read('wiki')).toMatchObject([
      { ...sid, same_site: 'unspecified' },
      { name: 'empty', value: '', path: '/w', http_only: false, expires: null },
    ])
  })

  it('leave out what has expired', () => {
    write('wiki.json', JSON.stringify([sid, { ...sid, name: 'old', expires: 1_600_000_000 }]))
    expect(
      cookies()
        .read('wiki')
        ?.map(cookie => cookie.name),
    ).toEqual(['sid'])
  })

  it('warn once when other users can read them', () => {
    write('wiki.json', JSON.stringify([sid]), 0o644)
    const files = cookies()
    files.read('wiki')
    files.read('wiki')
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { file: join(dir.path, 'wiki.json') } }])
  })

  it.each(['../wiki', 'a/b', '.hidden', '', 'UPPER', 'a.b'])('refuse "%s" as the name of a site', site => {
    expect(() => cookies().read(site)).toThrowError(expect.objectContaining({ code: 'config_invalid' }))
  })

  it('name the file and the place when they are malformed', () => {
    const faults: [string, RegExp][] = [
      ['{"cookies": [', /cookies\/wiki\.json.*neither JSON nor a cookies\.txt/],
      [JSON.stringify([{ ...sid, value: 5 }]), /0\.value/],
      [JSON.stringify({ jar: [] }), /no list of cookies/],
      ['# Netscape HTTP Cookie File\nwiki.example\tTRUE\t/', /line 2/],
    ]
    for (const [content, reason] of faults) {
      write('wiki.json', content)
      expect(() => cookies().read('wiki')).toThrowError(reason)
    }
    mkdirSync(join(dir.path, 'folder.json'))
    expect(() => cookies().read('folder')).toThrowError(/not a file/)
  })
})
