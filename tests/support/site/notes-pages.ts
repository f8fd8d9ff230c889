import { type Accounts, forSignedIn, type Session } from './accounts.ts'
import { asset, html, json, type RecordedRequest, type Routes, redirect, refusal } from './exchange.ts'
import { ICON, layout, STYLE } from './layout.ts'
import { type Markup, markup } from './markup.ts'
import type { Note, Notebook } from './notes.ts'
import { languageOf, WORDS, type Words } from './words.ts'

/** The notes application: log in with a form, read and write notes in the page. */
export function notesPages(accounts: Accounts, notebook: Notebook): Routes {
  const wordsFor = (request: RecordedRequest) => WORDS[languageOf(request)]
  return {
    'GET /style.css': () => asset('text/css', STYLE),
    'GET /icon.svg': () => asset('image/svg+xml', ICON),
    'GET /notes.js': () => asset('text/javascript', NOTES_SCRIPT),
    'GET /': request => {
      const session = accounts.session(request)
      if (!session) return redirect('/login')
      return html(notesPage(wordsFor(request), session, notebook.list()), 200, languageCookie(request))
    },
    'GET /login': request => html(loginPage(wordsFor(request)), 200, languageCookie(request)),
    'POST /login': request => {
      const form = new URLSearchParams(request.body)
      const cookies = accounts.logIn(form.get('user') ?? '', form.get('password') ?? '')
      return cookies ? redirect('/', cookies) : html(loginPage(wordsFor(request), true), 401)
    },
    'POST /logout': request => redirect('/login', accounts.logOut(request)),
    'GET /api/me': forSignedIn(
      request => accounts.session(request),
      (_, { user, name }) => json({ user, name }),
    ),
    'GET /api/notes': forSignedIn(
      request => accounts.session(request),
      () => json({ notes: notebook.list(), total: notebook.list().length }),
    ),
  }
}

/** Writes a note for somebody whose right to do so was checked. */
export function addNote(request: RecordedRequest, session: Session, notebook: Notebook) {
  const note = readNote(request.body)
  if (!note) return refusal(422, 'title_missing', 'Send a JSON object with a title.')
  return json(notebook.add(note.title, note.body, session.user), 201)
}

function readNote(text: string): { title: string; body: string } | undefined {
  try {
    const { title, body } = JSON.parse(text)
    return typeof title === 'string' && title !== ''
      ? { title, body: typeof body === 'string' ? body : '' }
      : undefined
  } catch {
    return undefined
  }
}

function languageCookie(request: RecordedRequest): Record<string, string> {
  const chosen = request.query.get('lang')
  return chosen === 'en' || chosen === 'zh' ? { 'set-cookie': `lang=${chosen}; Path=/; SameSite=Lax` } : {}
}

function banner(words: Words, links: Markup): Markup {
  return markup`<header>
<img src="/icon.svg" alt="">
<div><h1>${words.title}</h1><p>${words.tagline}</p></div>
<nav>${links}<a href="?lang=${words.other}" hreflang="${words.other}">${words.otherLanguage}</a></nav>
</header>`
}

function loginPage(words: Words, failed = false): Markup {
  const body = markup`${banner(words, markup``)}
<form class="card" method="post" action="/login">
<h2>${words.logIn}</h2>
<label>${words.user}<input name="user" autocomplete="username" required autofocus></label>
<label>${words.password}<input name="password" type="password" autocomplete="current-password" required></label>
${failed ? markup`<p class="bad" role="alert">${words.wrong}</p>` : undefined}
<button type="submit">${words.logIn}</button>
<p class="quiet">${words.hint}</p>
</form>`
  return layout({ lang: words.lang, title: `${words.logIn} · ${words.title}`, body })
}

function notesPage(words: Words, session: Session, notes: readonly Note[]): Markup {
  const signedIn = markup`<span>${words.hello} <b>${session.name}</b></span>
<form method="post" action="/logout"><button class="plain">${words.logOut}</button></form>`
  const body = markup`${banner(words, signedIn)}
<form class="card" id="new-note">
<h2>${words.newNote}</h2>
<label>${words.noteTitle}<input name="title" required></label>
<label>${words.noteBody}<textarea name="body" rows="3"></textarea></label>
<div class="row"><button type="submit">${words.save}</button>
<output class="quiet" data-saved="${words.saved}"></output></div>
</form>
<section class="card" aria-labelledby="notes-heading">
<h2 id="notes-heading">${words.notes}</h2>
<div id="notes">${notes.map(noteCard)}</div>
</section>
<script src="/notes.js"></script>`
  return layout({ lang: words.lang, title: words.title, body })
}

function noteCard(note: Note): Markup {
  return markup`<article class="note"><h3>${note.title}</h3><p>${note.body}</p>
<time datetime="${note.created_at}">${note.created_at.slice(0, 10)}</time></article>`
}

/** Sends the form with the token of the cookie, and puts the new note on top. */
const NOTES_SCRIPT = `const form = document.querySelector('#new-note')
const answer = form.querySelector('output')
const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]*)/)?.[1] ?? ''

const element = (name, text) => Object.assign(document.createElement(name), { textContent: text })

const show = note => {
  const time = element('time', note.created_at.slice(0, 10))
  time.dateTime = note.created_at
  const card = element('article', '')
  card.className = 'note'
  card.append(element('h3', note.title), element('p', note.body), time)
  document.querySelector('#notes').prepend(card)
}

form.addEventListener('submit', async event => {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  const response = await fetch('/api/notes', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': token() },
    body: JSON.stringify(Object.fromEntries(new FormData(form))),
  })
  const body = await response.json()
  if (response.ok) {
    show(body)
    form.reset()
  }
  answer.textContent = response.ok ? answer.dataset.saved : body.message
  button.disabled = false
})
`
