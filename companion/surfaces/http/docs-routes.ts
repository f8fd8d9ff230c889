import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { Failure } from '../../../shared/failures.ts'
import { json } from './answer.ts'
import { DOCS_ASSETS, DOCS_CSP, DOCS_HTML, DOCS_PATH, DOCS_SCRIPT, DOCS_STYLE } from './docs-page.ts'

/** The OpenAPI document, and the page that shows it to a person who has the token. */
export function addDocsRoutes(app: Hono, openApi: () => object, assets: string): void {
  app.get('/openapi.json', () => json(openApi()))

  app.get(DOCS_PATH, () => page(DOCS_HTML, 'text/html; charset=utf-8'))
  app.get(`${DOCS_PATH}/page.js`, () => page(DOCS_SCRIPT, 'text/javascript; charset=utf-8'))
  app.get(`${DOCS_PATH}/page.css`, () => page(DOCS_STYLE, 'text/css; charset=utf-8'))
  for (const [name, type] of Object.entries(DOCS_ASSETS))
    app.get(`${DOCS_PATH}/${name}`, async () => page(await asset(join(assets, name)), type))
}

async function asset(file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file))
  } catch (cause) {
    throw new Failure(
      'not_found',
      { what: 'An asset of the docs page', hint: 'Build it with "npm run build".' },
      { cause },
    )
  }
}

const page = (body: string | Uint8Array<ArrayBuffer>, type: string): Response =>
  new Response(body, { headers: { 'Content-Type': type, 'Content-Security-Policy': DOCS_CSP } })
