import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
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

  it('keep the site that a cookie is kept under, and one without a name', () => {
    const under = { ...sid, partition: 'https://shop.example' }
    write('wiki.json', JSON.stringify({ cookies: [under, { ...sid, name: '' }] }))
    expect(cookies().read('wiki')).toEqual([under, { ...sid, name: '' }])
    const told = { topLevelSite: 'https://shop.example', hasCrossSiteAncestor: false }
    for (const partitionKey of ['https://shop.example', told]) {
      write('wiki.json', JSON.stringify([{ ...sid, partitionKey }]))
      expect(cookies().read('wiki')).toEqual([under])
    }
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

describe("cookies by the person's word", () => {
  it('are written for their owner alone, in place of those before, and deleted', () => {
    cookies().write('wiki', [{ ...sid, name: 'old' }])
    cookies().write('wiki', [sid])
    expect(cookies().read('wiki')).toEqual([sid])
    expect(statSync(join(dir.path, 'wiki.json')).mode & 0o777).toBe(0o600)
    expect([cookies().drop('wiki'), cookies().drop('wiki'), cookies().read('wiki')]).toEqual([
      true,
      false,
      null,
    ])
    expect(() => cookies().write('../wiki', [sid])).toThrow(/not that of a site/)
    expect(cookies().drop('../wiki')).toBe(false)
  })

  it('may come as the storage state of Playwright, or as a cookies.txt that marks subdomains by a flag', () => {
    const state = {
      cookies: [
        {
          name: 's',
          value: '1',
          domain: 'wiki.example',
          path: '/',
          expires: -1,
          httpOnly: true,
          secure: true,
          sameSite: 'Lax',
        },
      ],
      origins: [{ origin: 'https://wiki.example', localStorage: [{ name: 'x', value: 'y' }] }],
    }
    expect(cookies().parse(JSON.stringify(state), 'wiki')).toEqual([
      { ...sid, name: 's', value: '1', domain: 'wiki.example', expires: null },
    ])
    const row = (domain: string, flag: string) => `${domain}\t${flag}\t/\tTRUE\t0\ts\t1`
    const text = [
      row('wiki.example', 'TRUE'),
      row('wiki.example', 'FALSE'),
      row('.wiki.example', 'TRUE'),
    ].join('\n')
    expect(
      cookies()
        .parse(text, 'wiki')
        .map(({ domain }) => domain),
    ).toEqual(['.wiki.example', 'wiki.example', '.wiki.example'])
  })
})
