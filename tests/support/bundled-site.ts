import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type PageServer, startPageServer } from './page-server.ts'

const fixtures = join(dirname(dirname(fileURLToPath(import.meta.url))), 'fixtures')

/** A fixture app (`tests/fixtures/<name>/app.mjs`) with its libraries from npm, served as the page `/`. */
export async function startBundledSite(name: string, body: string): Promise<PageServer> {
  const { outputFiles } = await build({
    entryPoints: [join(fixtures, name, 'app.mjs')],
    bundle: true,
    write: false,
    outdir: 'out',
    format: 'iife',
    target: 'chrome120',
    loader: { '.ttf': 'dataurl' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  })
  const file = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  const styles = file('.css')
  const script = file('.js')
  return startPageServer({
    '/': `<!doctype html><meta charset="utf-8"><title>${name}</title><link rel="stylesheet" href="/app.css"><body>${body}<script src="/app.js"></script>`,
    '/app.css': (_, response) => response.writeHead(200, { 'content-type': 'text/css' }).end(styles),
    '/app.js': (_, response) =>
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(script),
  })
}
