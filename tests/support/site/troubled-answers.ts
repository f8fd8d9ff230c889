import { html, json, type Routes, refusal } from './exchange.ts'
import { markup } from './markup.ts'

const MAX_KIB = 32 * 1024

/** Answers as they come on bad days, and an endpoint that tells what it was asked. */
export function troubledAnswers(): Routes {
  return {
    'GET /api/slow': request => json({ waited_ms: Number(request.query.get('ms') ?? 0) }),
    'GET /api/wall': () => html(WALL),
    'GET /api/limited': () => refusal(429, 'too_many_requests', 'Slow down.', { 'retry-after': '7' }),
    'GET /api/broken': () => refusal(500, 'internal', 'Something broke.'),
    'GET /api/malformed': () => ({ ...json(null), body: '{"items": [{"id": 1,' }),
    'GET /api/empty': () => json([]),
    'GET /api/large': request => {
      const kib = Math.min(Number(request.query.get('kib') ?? 1) || 1, MAX_KIB)
      return json({ kib, filler: 'x'.repeat(kib * 1024) })
    },
    'GET /api/echo': request => json({ query: Object.fromEntries(request.query), headers: request.headers }),
    'POST /api/echo': request => json({ headers: request.headers, body: request.body }),
  }
}

/** What sites send to strangers instead of an error: a login page, with status 200. */
const WALL = markup`<html lang="en"><head><title>Log in</title></head>
<body><h1>Please log in to continue</h1>
<form method="post" action="/login"><input name="user"><input name="password" type="password"></form>
</body></html>
`
