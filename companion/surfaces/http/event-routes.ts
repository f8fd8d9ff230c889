import type { Hono } from 'hono'
import type { Status } from '../../../shared/status.ts'
import type { RunEvent } from '../../kernel/operation.ts'
import { openEventStream, streamFormat } from './event-stream.ts'
import type { OpenEnds } from './open-ends.ts'

/** What goes on in the companion, for those who watch. Both return how to stop listening. */
export interface News {
  status(): Status
  onStatus(listener: (status: Status) => void): () => void
  /** Events of every run, of whatever surface. */
  onRunEvent(listener: (event: RunEvent) => void): () => void
}

/** The live stream: the state record at once and at each change, and the events of every run. */
export function addEventRoutes(app: Hono, news: News, ends: OpenEnds): void {
  app.get('/v1/events', c => {
    const stops: (() => void)[] = []
    const events = openEventStream(streamFormat(c.req.header('accept')) ?? 'sse', () => {
      for (const stop of stops) stop()
    })
    // A watcher who does not keep up would miss changes without knowing it: cut off, it comes back and sees all.
    const send = (name: string, value: object) => {
      if (!events.send(name, value)) events.end()
    }
    const sendStatus = (status: Status) => send('status', { type: 'status', status })
    stops.push(
      ends.add(events.end),
      news.onStatus(sendStatus),
      news.onRunEvent(event => send(event.type, event)),
    )
    sendStatus(news.status())
    return events.response
  })
}
