/**
 * The /docs page. It is a shell that anybody who may reach the port can load; it holds nothing of the catalogue.
 * A person gives it the token, which stays in the page's memory, and with that it fetches /openapi.json.
 */
export const DOCS_PATH = '/docs'

export const isDocsPath = (path: string): boolean => path === DOCS_PATH || path.startsWith(`${DOCS_PATH}/`)

/** Files of swagger-ui-dist that the build puts into the assets folder, with their types. */
export const DOCS_ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

/** Nothing from anywhere else, no inline code or style, no forms, no frames. */
export const DOCS_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const DOCS_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>unicli HTTP API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/page.css">
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/page.js" defer></script>
  </head>
  <body>
    <form id="ask">
      <h1>unicli HTTP API</h1>
      <label for="token">Token of the companion</label>
      <input id="token" type="password" autocomplete="off" spellcheck="false" required autofocus>
      <button>Show</button>
      <p id="problem" role="alert"></p>
      <p>The file that <code>unicli config path</code> names holds it. It is kept in this page only.</p>
    </form>
    <div id="reference"></div>
  </body>
</html>
`

export const DOCS_STYLE = `
#ask { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }
#ask input { width: 20rem; max-width: 100%; font: inherit }
#ask label { display: block }
#problem { color: #b00020; min-height: 1.5em }
#ask[hidden] { display: none }
`

export const DOCS_SCRIPT = `
const form = document.getElementById('ask')
const problem = document.getElementById('problem')

form.addEventListener('submit', async event => {
  event.preventDefault()
  problem.textContent = ''
  const authorization = 'Bearer ' + document.getElementById('token').value.trim()
  const answer = await fetch('/openapi.json', { headers: { authorization } }).catch(error => error)
  if (!answer.ok) {
    problem.textContent = answer.status === 401 ? 'That is not the token.' : 'The companion does not answer.'
    return
  }
  const spec = await answer.json()
  form.hidden = true
  SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    docExpansion: 'none',
    validatorUrl: null,
    requestInterceptor: request => {
      request.headers.Authorization = authorization
      return request
    },
  })
})
`
