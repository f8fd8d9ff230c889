import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { Failure } from '../../../shared/failures.ts'
import { harOf } from '../../kernel/har.ts'
import type { Kernel } from '../../kernel/operation.ts'
import { recordOf, replay } from '../../kernel/replay.ts'
import { RunsFilter, runsQuery } from '../../kernel/runs-query.ts'
import type { EvidencePort, LedgerPort } from '../../ports/state.ts'
import { json } from './answer.ts'
import { openEventStream, streamFormat } from './event-stream.ts'
import type { OpenEnds } from './open-ends.ts'
import { readBody, readQuery } from './request.ts'

/** `yes`: a person wants what changes something to be done once more. */
export const ReplayBody = z.strictObject({ yes: z.boolean().default(false) })

const ID = ':id{[A-Za-z0-9_-]{1,128}}'

/** Types that are shown as they are. Anything else, HTML above all, is only ever downloaded. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/json', 'text/plain'])

export interface RunRouteParts {
  kernel: Kernel
  ledger: Pick<LedgerPort, 'list' | 'get'>
  evidence: Pick<EvidencePort, 'get'>
  version: string
}

/** Runs, what they asked, the evidence that they left, and running one once more. */
export function addRunRoutes(app: Hono, parts: RunRouteParts, ends: OpenEnds): void {
  const { ledger, version } = parts
  app.get('/v1/runs', c => {
    const runs = ledger.list(runsQuery(readQuery(c, RunsFilter)))
    if (streamFormat(c.req.header('accept')) !== 'ndjson') return json({ runs })
    const lines = openEventStream('ndjson', () => undefined)
    for (const { run_id } of runs) lines.send('run', ledger.get(run_id), { force: true })
    lines.end()
    return lines.response
  })

  app.get(`/v1/runs/${ID}`, c => json(recordOf(ledger, idOf(c))))

  app.get(`/v1/runs/${ID}/har`, c => json(harOf([recordOf(ledger, idOf(c))], version)))

  app.post(`/v1/runs/${ID}/replay`, async c => {
    const { yes } = await readBody(c, ReplayBody)
    const { signal, release } = ends.call(c.req.raw.signal)
    try {
      return json(await replay({ ...parts, runId: idOf(c), yes, surface: 'http', signal }))
    } finally {
      release()
    }
  })

  app.get(`/v1/evidence/${ID}`, c => evidenceOf(parts, idOf(c)))
}

function evidenceOf({ evidence }: RunRouteParts, id: string): Response {
  const found = evidence.get(id)
  if (found === null)
    throw new Failure('not_found', {
      what: `The evidence ${id}`,
      hint: 'Evidence is kept for a while only: run it again.',
    })
  const shown = SHOWN.has(found.media_type.split(';', 1)[0]?.trim() ?? '')
  return new Response(new Uint8Array(found.content), {
    headers: {
      'Content-Type': shown ? found.media_type : 'application/octet-stream',
      'Content-Disposition': shown ? 'inline' : 'attachment',
    },
  })
}

/** The routes match an id alone. */
const idOf = (c: Context): string => c.req.param('id') ?? ''
