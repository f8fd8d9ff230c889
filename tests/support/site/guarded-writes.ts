import { type Accounts, CSRF_COOKIE, forSignedIn, type Session } from './accounts.ts'
import { html, json, type RecordedRequest, type Routes, redirect, refusal } from './exchange.ts'
import { layout } from './layout.ts'
import { markup } from './markup.ts'
import type { Notebook } from './notes.ts'
import { addNote } from './notes-pages.ts'

/** The customary ways in which sites guard a write against forgery, all writing to the same notebook. */
export function guardedWrites(accounts: Accounts, notebook: Notebook): Routes {
  const bySession = (request: RecordedRequest) => accounts.session(request)
  const byBearer = (request: RecordedRequest) => accounts.bearer(request)

  /** A write that needs the `x-csrf-token` header to hold what `expected` gives for this request. */
  const guarded = (expected: (request: RecordedRequest, session: Session) => string | undefined) =>
    forSignedIn(bySession, (request, session) => {
      const token = expected(request, session)
      if (!token || request.headers['x-csrf-token'] !== token) return FORGED
      return addNote(request, session, notebook)
    })
  const guardedByMeta = guarded((_, session) => session.metaToken)

  return {
    // Double submit: the header repeats the cookie.
    'POST /api/notes': guarded(request => request.cookies[CSRF_COOKIE]),

    // The token stands in the page; and the write has to come from that page's origin.
    'GET /meta-token': request => {
      const session = bySession(request)
      return session ? html(metaTokenPage(session.metaToken)) : redirect('/login')
    },
    'POST /api/meta/notes': request =>
      request.headers.origin === `http://${request.headers.host}` ? guardedByMeta(request) : FOREIGN,

    // The token is fetched from an endpoint.
    'GET /api/csrf': forSignedIn(bySession, (_, session) => json({ csrf_token: session.issuedToken })),
    'POST /api/issued/notes': guarded((_, session) => session.issuedToken),

    // No cookie at all: the page keeps a bearer token in localStorage.
    'GET /bearer': () => html(BEARER_PAGE),
    'POST /api/bearer/token': request => {
      const form = new URLSearchParams(request.body)
      const token = accounts.issueBearer(form.get('user') ?? '', form.get('password') ?? '')
      if (!token) return refusal(403, 'wrong_password', 'User name or password is wrong.')
      return json({ access_token: token, token_type: 'Bearer', expires_in: 86_400 })
    },
    'GET /api/bearer/me': forSignedIn(byBearer, (_, { user, name }) => json({ user, name })),
    'GET /api/bearer/notes': forSignedIn(byBearer, () => json({ notes: notebook.list() })),
    'POST /api/bearer/notes': forSignedIn(byBearer, (request, session) =>
      addNote(request, session, notebook),
    ),
  }
}

const FORGED = refusal(403, 'csrf_failed', 'The x-csrf-token header is missing or wrong.')
const FOREIGN = refusal(403, 'foreign_origin', 'Writes are taken from pages of this site only.')

function metaTokenPage(token: string) {
  return layout({
    lang: 'en',
    title: 'Token in a meta tag',
    head: markup`<meta name="csrf-token" content="${token}">`,
    body: markup`<section class="card"><h2>Token in a meta tag</h2>
<p>Writes to <code>/api/meta/notes</code> need the token that stands in this page's head.</p></section>`,
  })
}

const BEARER_PAGE = layout({
  lang: 'en',
  title: 'Token in localStorage',
  body: markup`<form class="card">
<h2>Token in localStorage</h2>
<label>User name<input name="user" autocomplete="username"></label>
<label>Password<input name="password" type="password" autocomplete="current-password"></label>
<div class="row"><button type="submit">Log in</button><output role="status"></output></div>
</form>
<script>
const status = document.querySelector('output')
const greet = async () => {
  const stored = JSON.parse(localStorage.getItem('auth-tokens') ?? 'null')
  if (!stored) return
  const answer = await fetch('/api/bearer/me', { headers: { authorization: 'Bearer ' + stored.access_token } })
  status.textContent = answer.ok ? 'Signed in as ' + (await answer.json()).name : 'Signed out'
}
document.querySelector('form').addEventListener('submit', async event => {
  event.preventDefault()
  const answer = await fetch('/api/bearer/token', { method: 'POST', body: new URLSearchParams(new FormData(event.target)) })
  if (answer.ok) localStorage.setItem('auth-tokens', await answer.text())
  else status.textContent = 'Wrong user name or password'
  await greet()
})
greet()
</script>`,
})
