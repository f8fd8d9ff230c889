import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { operationOf, type ScriptedCall } from '../../../tests/support/scripted-kernel.ts'
import { type CliStage, cliStage } from '../../../tests/support/typed-command.ts'
import type { RunEvent } from '../../kernel/operation.ts'
import { LineReader } from './approval-prompt.ts'
import { printable } from './output/text.ts'

/** What the operation does when it is run; each test says. */
let act: (call: ScriptedCall) => unknown = () => null
let stage: CliStage
beforeEach(async () => {
  stage = await cliStage([
    { operation: operationOf('wiki.edit', { effect: 'write' }), run: call => act(call) },
  ])
})
afterEach(async () => {
  vi.useRealTimers()
  await stage.remove()
})

const step = (path: string, name: string): RunEvent => ({
  type: 'step',
  run_id: 'r',
  path,
  step: name,
  state: 'started',
  duration_ms: null,
})

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  })

  it('says nothing of what is done within a second', async () => {
    act = () => vi.advanceTimersByTime(900)
    expect((await stage.typeAtTerminal(['wiki', 'edit'])).err).toBe('')
  })

  it('draws one line over itself on a terminal and takes it away at the end', async () => {
    act = ({ emit }) => {
      emit(step('0', 'fetch'))
      vi.advanceTimersByTime(1600)
      emit({ type: 'progress', run_id: 'r', text: '東京\n'.repeat(50) })
      vi.advanceTimersByTime(500)
    }
    const { err } = await stage.typeAtTerminal(['wiki', 'edit'])
    expect(err).not.toContain('\n')
    const lines = err.split('\r\u001b[K')
    expect(lines[0]).toBe('')
    expect(lines[1]).toMatch(/wiki\.edit: fetch \(0\) 1\.0 s/)
    expect(printable(lines.at(-2) ?? '')).toMatch(/東京.*…$/)
    expect(lines.at(-1)).toBe('')
  })

  it('writes plain lines elsewhere, and none twice', async () => {
    act = ({ emit }) => {
      emit({ type: 'attempt', run_id: 'r', strategy: 'cookie', ok: null, reason: null })
      vi.advanceTimersByTime(15_000)
      emit(step('1', 'click'))
      vi.advanceTimersByTime(15_000)
    }
    const { err } = await stage.type(['wiki', 'edit'])
    expect(err).toBe('wiki.edit: trying cookie …\nwiki.edit: click (1) …\n')
    const dumb = await stage.typeAtTerminal(['wiki', 'edit'], { env: { TERM: 'dumb' } })
    expect(dumb.err).toBe(err)
  })

  it('is not told with --quiet, and leaves no timer behind', async () => {
    act = () => vi.advanceTimersByTime(15_000)
    expect((await stage.typeAtTerminal(['wiki', 'edit', '--quiet'])).err).toBe('')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a run that waits for a person', () => {
  const approval = () => ({
    id: 'a1',
    operation: 'wiki.edit',
    effect: 'write',
    text: 'Edit a page\ntitle: "\u001b[2J東京"',
    asked_at: Date.now(),
    expires_at: Date.now() + 60_000,
  })
  /** Asks, and goes on when it has been answered. */
  const asking = ({ emit }: ScriptedCall) =>
    new Promise<string>(resolve => {
      const asked = approval()
      stage.kernel.ask(asked)
      const { answer } = stage.kernel
      stage.kernel.answer = (id, allow, lasts) => {
        resolve(allow ? 'allowed' : 'denied')
        return answer(id, allow, lasts)
      }
      emit({ type: 'waiting', run_id: 'r', approval: asked })
    })

  it.each([
    ['y\n', true],
    ['YES\n', true],
    ['s\n', true, 'session'],
    ['Always\n', true, 'always'],
    ['n\n', false],
    ['\n', false],
    ['please\n', false],
    ['', false],
  ])('asks whoever sits at the terminal; %j allows it: %s', async (line, allow, ...lasts: string[]) => {
    act = asking
    const { err, out } = await stage.typeAtTerminal(['wiki', 'edit'], { stdin: line === '' ? [] : [line] })
    expect(stage.kernel.answers).toEqual([['a1', allow, ...lasts]])
    expect(out).toBe(allow ? 'allowed\n' : 'denied\n')
    expect(err).toContain(
      'approve? wiki.edit (write)\n  Edit a page\n  title: "[2J東京"\nAllow it? [y: once, s: in this session, a: always, N] ',
    )
  })

  describe('with a question', () => {
    const question = (choices: string[]) => (call: ScriptedCall) => {
      const asked = { ...approval(), text: 'Which account?', choices }
      stage.kernel.ask(asked)
      call.emit({ type: 'waiting', run_id: 'r', approval: asked })
      // What another branch of the run tells meanwhile is no answer.
      call.emit(step('0', 'click'))
      return new Promise<string>(resolve => {
        const { answer } = stage.kernel
        stage.kernel.answer = (id, allow, lasts, reply) => {
          resolve(reply ?? 'none')
          return answer(id, allow, lasts, reply)
        }
      })
    }

    it.each([
      ['by its number', ['2\n'], '家'],
      ['in its own words', ['家\n'], '家'],
      ['after a line that is none', ['3\n', 'work\n'], 'work'],
      ['not at all', ['\n'], 'none'],
    ])('takes a choice %s', async (_, stdin, answer) => {
      act = question(['work', '家'])
      const { err, out } = await stage.typeAtTerminal(['wiki', 'edit'], { stdin })
      expect(out).toBe(`${answer}\n`)
      expect(err).toContain(
        'asks wiki.edit\n  Which account?\n  1  work\n  2  家\nYour answer [1-2, empty: none]: ',
      )
      expect(err).not.toContain('Answered elsewhere')
    })

    it('takes any text where there are no choices', async () => {
      act = question([])
      const { out } = await stage.typeAtTerminal(['wiki', 'edit'], { stdin: ['自由\n'] })
      expect(out).toBe('自由\n')
      expect(stage.kernel.answers).toEqual([['a1', true, 'once', '自由']])
    })
  })

  it.each([
    ['without a terminal', [], false],
    ['with --no-input', ['--no-input'], true],
  ])('tells how to answer elsewhere %s, also when it is quiet', async (_, flags, tty) => {
    act = call => {
      const answered = asking(call)
      stage.kernel.answer('a1', true)
      return answered
    }
    const argv = ['wiki', 'edit', '-q', ...flags]
    const { err } = tty ? await stage.typeAtTerminal(argv) : await stage.type(argv)
    expect(err).toContain('unicli approvals allow a1')
    expect(err).not.toContain('Allow it?')
  })

  it('gives the question up when somebody else has answered it', async () => {
    act = ({ emit }) => {
      emit({ type: 'waiting', run_id: 'r', approval: approval() })
      emit(step('0', 'click'))
    }
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }
    const { err, code } = await stage.typeAtTerminal(['wiki', 'edit'], { stdin: never })
    expect(code).toBe(0)
    expect(err).toContain('Answered elsewhere.')
    expect(stage.kernel.answers).toEqual([])
  })

  it('reads lines however they were cut', async () => {
    const lines = new LineReader(
      (async function* () {
        yield 'y'
        yield 'es\nno\nla'
        yield 'st'
      })(),
    )
    expect([await lines.next(), await lines.next(), await lines.next(), await lines.next()]).toEqual([
      'yes',
      'no',
      'last',
      null,
    ])
  })
})

describe('a client that goes away', () => {
  it('cancels its run', async () => {
    const gone = new AbortController()
    act = call => {
      gone.abort()
      return call.untilCancelled()
    }
    const { code, out } = await stage.type(['wiki', 'edit'], { signal: gone.signal })
    expect(code).toBe(1)
    expect(JSON.parse(out).error.code).toBe('cancelled')
  })
})
