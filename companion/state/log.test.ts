import { EventEmitter, once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { type Log, type LogLevel, openLog } from './log.ts'
import { formatLogLine, readLog } from './log-reader.ts'

let dir: TempDir
beforeEach(async () => {
  dir = await makeTempDir()
})
afterEach(() => dir.remove())

const folder = (): string => join(dir.path, 'logs')
const current = (): string => join(folder(), 'companion.log')
const logWith = (level: LogLevel = 'info', size: '2K' | '5M' = '5M'): Log =>
  openLog({ folder: folder(), level, size })
const records = (): Record<string, unknown>[] =>
  readFileSync(current(), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

describe('the log', () => {
  it('writes one redacted record a line, for its owner alone', async () => {
    const log = logWith()
    log.debug('not at this level')
    log.warn('sent Authorization: Bearer abcdef123', { password: 'hunter2', run_id: 'r1' })
    log.error('it broke', { error: new Failure('link_lost', { hop: 'host' }) })
    await log.close()
    expect(records()).toMatchObject([
      { level: 'warn', msg: 'sent Authorization: [redacted]', password: '[redacted]', run_id: 'r1' },
      { level: 'error', msg: 'it broke', error: { code: 'link_lost', params: { hop: 'host' } } },
    ])
    expect(statSync(current()).mode & 0o777).toBe(0o600)
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
  })

  it('changes its level while it runs', async () => {
    const log = logWith('error')
    log.info('silent')
    log.setLevel('debug')
    log.debug('heard')
    await log.close()
    expect(records()).toMatchObject([{ msg: 'heard' }])
  })

  it('keeps five rotated files and no more', async () => {
    for (let round = 0; round < 10; round++) {
      const log = logWith('info', '2K')
      for (let i = 0; i < 12; i++) log.info(`line ${round}.${i}`, { filler: 'x'.repeat(200) })
      await log.close()
    }
    expect(
      readdirSync(folder())
        .filter(name => name.startsWith('companion.log'))
        .sort(),
    ).toEqual(['companion.log', ...[1, 2, 3, 4, 5].map(i => `companion.log.${i}`)])
  })

  it('tells once when it cannot be written, and ends nothing', async () => {
    mkdirSync(current(), { recursive: true })
    const faults: Error[] = []
    const fault = new EventEmitter()
    const log = openLog({
      folder: folder(),
      level: 'info',
      onFault: error => {
        faults.push(error)
        fault.emit('seen')
      },
    })
    const seen = once(fault, 'seen')
    log.info('lost')
    await seen
    log.info('lost too')
    await log.close()
    expect(faults.map(String)).toEqual([expect.stringContaining('is not a file')])
  })
})

describe('reading the log', () => {
  it('formats a record for a person and leaves other lines as they are', () => {
    const record = { level: 'warn', time: '2026-11-29T10:00:00.000Z', msg: 'slow', ms: 12, url: 'a b' }
    expect(formatLogLine(JSON.stringify(record))).toBe('2026-11-29 10:00:00.000 WARN  slow  ms=12  url="a b"')
    expect(formatLogLine('{"level":"warn","ti')).toBe('{"level":"warn","ti')
    expect(formatLogLine('plain')).toBe('plain')
  })

  it('gives the newest lines, reaching back into rotated files', async () => {
    for (let round = 0; round < 3; round++) {
      const log = logWith('info', '2K')
      for (let i = 0; i < 12; i++) log.info(`line ${round}.${i}`, { filler: 'x'.repeat(200) })
      await log.close()
    }
    expect(readdirSync(folder())).toContain('companion.log.1')
    const lines: string[] = []
    await readLog({
      folder: folder(),
      lines: 15,
      follow: false,
      signal: new AbortController().signal,
      onLine: line => lines.push(line.split(/\s+/)[4] ?? ''),
    })
    const expected = [...Array(3).keys()].flatMap(r => [...Array(12).keys()].map(i => `${r}.${i}`)).slice(-15)
    expect(lines).toEqual(expected)
  })

  it('answers nothing when there is no log yet', async () => {
    const lines: string[] = []
    const options = { lines: 5, follow: false, signal: new AbortController().signal }
    await readLog({ ...options, folder: folder(), onLine: line => lines.push(line) })
    expect(lines).toEqual([])
  })

  it('follows every line once and in order across rotations', async () => {
    const log = logWith('info', '2K')
    log.info('line before')
    const seen: string[] = []
    const heard = new EventEmitter()
    const stop = new AbortController()
    const reading = readLog({
      folder: folder(),
      lines: 10,
      follow: true,
      signal: stop.signal,
      onLine: line => {
        seen.push(line.split(/\s+/).slice(3, 5).join(' '))
        heard.emit('line')
      },
    })
    const total = 60
    for (let i = 0; i < total; i++) log.info(`line ${i}`, { filler: 'x'.repeat(200) })
    while (seen.at(-1) !== `line ${total - 1}`) await once(heard, 'line')
    stop.abort()
    await reading
    await log.close()
    expect(readdirSync(folder())).toContain('companion.log.3')
    expect(seen.filter(line => line !== 'line before')).toEqual(
      [...Array(total).keys()].map(i => `line ${i}`),
    )
  })
})
