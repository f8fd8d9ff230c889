import type { TrafficUpdate } from '../../shared/traffic.ts'
import type { CaptureEntry } from '../../shared/values.ts'

/** What the hook in a page reports, in the words of all sources. The companion joins it to what the browser told. */
export function updateOf(tab: number, entry: CaptureEntry): TrafficUpdate {
  const isMessage = entry.kind === 'websocket' || entry.kind === 'eventsource'
  const begin = {
    source: 'page' as const,
    tab,
    method: isMessage ? 'GET' : entry.method,
    url: entry.url.split('#', 1)[0] ?? entry.url,
    kind: entry.kind,
    initiator: entry.frame_url,
    context: null,
    redirect_of: null,
  }
  return isMessage
    ? { key: `p${tab} ${entry.url}`.slice(0, 4000), at: entry.started_at, begin, ...messageOf(entry) }
    : { key: `p${tab} ${entry.id}`.slice(0, 4000), at: entry.started_at, begin, ...exchangeOf(entry) }
}

function messageOf(entry: CaptureEntry): Pick<TrafficUpdate, 'message'> {
  const direction = entry.method === 'SEND' ? 'sent' : 'received'
  const text = entry.request_body ?? entry.response_body ?? ''
  return { message: { direction, text, base64: false, event: null, cut: entry.truncated } }
}

function exchangeOf(entry: CaptureEntry): Omit<TrafficUpdate, 'key' | 'at' | 'begin'> {
  const body = (text: string | null, cut = false) =>
    text === null ? undefined : { text, base64: false, cut }
  const isAnswered = entry.status !== null && entry.status > 0
  return {
    request_headers: Object.entries(entry.request_headers),
    request_body: body(entry.request_body),
    answer: isAnswered
      ? {
          status: entry.status ?? 0,
          status_text: '',
          mime: (entry.response_headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? '',
          headers: Object.entries(entry.response_headers),
          protocol: null,
          from: 'network',
        }
      : undefined,
    response_body: body(entry.response_body, entry.truncated),
    end: {
      error: isAnswered ? null : 'failed',
      bytes: null,
      at: entry.finished_at ?? entry.started_at,
    },
  }
}
