import type { ConsoleLine, PageLine } from '../../shared/traffic.ts'

const STACK_FRAMES = 10
/** Of the hook itself, on top of the stack of a call to the console. */
const OWN_FRAMES = 2

interface Frame {
  name: string
  url: string
  line: number
  column: number
}

/** What the hook in a page told of its console, in the words of all sources. */
export function lineOf(tab: number, { id, stack, url, line, ...told }: PageLine): ConsoleLine {
  const frames = framesIn(stack).slice(told.kind === 'console' ? OWN_FRAMES : 0)
  const [first] = frames
  return {
    ...told,
    key: `p${tab} ${id}`,
    tab,
    url: url ?? first?.url ?? null,
    line: line ?? first?.line ?? null,
    stack: frames
      .slice(0, STACK_FRAMES)
      .map(frame => `${frame.name || '(anonymous)'} (${frame.url}:${frame.line}:${frame.column})`)
      .join('\n'),
  }
}

/** `name@url:1:2` in Firefox, `at name (url:1:2)` in Chromium. */
function framesIn(stack: string): Frame[] {
  return stack.split('\n').flatMap((text): Frame[] => {
    const found =
      /^\s*at (?:(.*?) \()?(.*?):(\d+):(\d+)\)?$/.exec(text) ?? /^(.*?)@(.*?):(\d+):(\d+)$/.exec(text)
    const [, name = '', url = '', line, column] = found ?? []
    return found === null ? [] : [{ name, url, line: Number(line), column: Number(column) }]
  })
}
