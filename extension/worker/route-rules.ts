import type { Browser } from 'wxt/browser'
import { globSource } from '../../shared/glob.ts'
import type { NewRoute, RequestKind } from '../../shared/traffic.ts'

/** The rules that the worker's own requests are made with have lower numbers. */
export const FIRST_RULE = 2_000_000

type Rule = Browser.declarativeNetRequest.Rule
type ResourceType = NonNullable<Rule['condition']['resourceTypes']>[number]
type Method = NonNullable<Rule['condition']['requestMethods']>[number]
type HeaderChange = NonNullable<Rule['action']['requestHeaders']>[number]

const TYPES: Readonly<Record<RequestKind, readonly string[]>> = {
  document: ['main_frame'],
  frame: ['sub_frame'],
  script: ['script'],
  style: ['stylesheet'],
  image: ['image'],
  font: ['font'],
  media: ['media'],
  fetch: ['xmlhttprequest'],
  xhr: ['xmlhttprequest'],
  eventsource: ['xmlhttprequest'],
  preflight: ['other'],
  beacon: ['ping', 'csp_report'],
  websocket: ['websocket'],
  other: ['other', 'object'],
}
const ALL_TYPES = [...new Set(Object.values(TYPES).flat())]
const METHODS = ['connect', 'delete', 'get', 'head', 'options', 'patch', 'post', 'put']

/** A rule as the browser keeps it by itself, for these tabs only. */
export function networkRules(
  { match, methods, kinds, action }: NewRoute,
  tabIds: number[],
  id: number,
): Rule {
  const types = kinds.length === 0 ? ALL_TYPES : [...new Set(kinds.flatMap(kind => TYPES[kind]))]
  const asked = methods.map(method => method.toLowerCase()).filter(method => METHODS.includes(method))
  return {
    id,
    // Of several that fit the one that was made last counts.
    priority: 1 + (id - FIRST_RULE),
    condition: {
      tabIds,
      ...conditionOf(asSent(match)),
      // As the debugger's own rules are.
      isUrlFilterCaseSensitive: true,
      resourceTypes: types as ResourceType[],
      ...(asked.length === 0 ? {} : { requestMethods: asked as Method[] }),
    },
    action:
      action.do === 'headers'
        ? {
            type: 'modifyHeaders',
            ...changes('requestHeaders', action.request),
            ...changes('responseHeaders', action.response),
          }
        : { type: 'block' },
  }
}

/** As addresses are sent: what is no ASCII is encoded in them, and so are blanks, quotes and angles. */
export const asSent = (match: string): string => match.replace(/[^ -~]+|[ "<>]/g, encodeURIComponent)

/** With a star the glob is about the whole address, else about a part of it. */
function conditionOf(match: string): { urlFilter: string } | { regexFilter: string } {
  // These mean something else in the browser's filters, and cannot be escaped there.
  if (/[|^]/.test(match)) return { regexFilter: patternOf(match) }
  if (!match.includes('*')) return { urlFilter: match }
  return { urlFilter: `|${match}|`.replace(/^\|\*+|\*+\|$/g, '*').replace(/^\*+$/, '*') }
}

function patternOf(match: string): string {
  const source = globSource(match)
  return match.includes('*') ? `^${source}$` : source
}

function changes(
  name: 'requestHeaders' | 'responseHeaders',
  headers: Record<string, string | null>,
): Record<string, HeaderChange[]> {
  const list = Object.entries(headers).map(
    ([header, value]) =>
      (value === null
        ? { header, operation: 'remove' }
        : { header, operation: 'set', value }) as HeaderChange,
  )
  return list.length === 0 ? {} : { [name]: list }
}
