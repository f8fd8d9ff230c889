import { html, json, type Routes } from './exchange.ts'
import { layout } from './layout.ts'
import { markup } from './markup.ts'

const PAGE_SIZE = 5

const ITEMS = [
  ['Paper kite', '纸鸢'],
  ['Tea bowl', '茶碗'],
  ['Ink stone', '砚台'],
  ['Silk fan', '丝扇'],
  ['Bamboo flute', '竹笛'],
  ['Lantern', '灯笼'],
  ['Abacus', '算盘'],
  ['Umbrella', '油纸伞'],
  ['Chess set', '象棋'],
  ['Seal', '印章'],
].map(([name, name_zh], index) => ({ id: index + 1, name, name_zh, price: 10 * (index + 1) }))

/** Pages whose content comes by fetch and XMLHttpRequest, for those who read along. All are public. */
export function feedPages(): Routes {
  return {
    'GET /api/items': request => {
      const page = Math.max(1, Number(request.query.get('page') ?? 1) || 1)
      const items = ITEMS.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
      return json({ page, total: ITEMS.length, items })
    },
    'GET /feed': () => html(FEED_PAGE),
    'GET /strict-csp': request => {
      const nonce = `n${request.id}x${request.receivedAt}`
      return html(strictPage(nonce), 200, {
        'content-security-policy':
          `default-src 'none'; script-src 'nonce-${nonce}'; connect-src 'self'; ` +
          "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      })
    },
    'GET /frames': request => html(framesPage(request.headers.host ?? '')),
  }
}

/** The first request leaves before anything else of the page is there; the second by XHR after it was shown. */
const FEED_PAGE = layout({
  lang: 'en',
  title: 'Feed',
  head: markup`<script>window.first = fetch('/api/items?page=1').then(answer => answer.json())</script>`,
  body: markup`<section class="card"><h2>Feed · 商品</h2>
<ul id="items" aria-busy="true"></ul></section>
<script>
const list = document.querySelector('#items')
const show = answer => {
  for (const item of answer.items) {
    list.append(Object.assign(document.createElement('li'), { textContent: item.name + ' ' + item.name_zh }))
  }
}
window.first.then(answer => {
  show(answer)
  const request = new XMLHttpRequest()
  request.responseType = 'json'
  request.onload = () => {
    show(request.response)
    list.setAttribute('aria-busy', 'false')
  }
  request.open('GET', '/api/items?page=2')
  request.send()
})
</script>`,
})

/** Nothing may run, load or be styled here but one script; `<main>` says what it fetched. */
function strictPage(nonce: string) {
  return markup`<html lang="en">
<head>
<meta charset="utf-8">
<title>Strict policy</title>
<script nonce="${nonce}">
fetch('/api/items?page=1').then(answer => answer.json()).then(answer => {
  document.querySelector('main').textContent = answer.items.length + ' items'
})
</script>
</head>
<body><main></main></body>
</html>
`
}

/** A page in a page: of the same origin, of another site (`localhost` instead of 127.0.0.1), and without an address. */
function framesPage(host: string) {
  const foreign = `http://localhost:${host.split(':')[1]}/controls`
  return layout({
    lang: 'en',
    title: 'Frames',
    body: markup`<section class="card"><h2>Frames</h2>
<iframe title="Same origin" src="/controls" width="100%" height="320"></iframe>
<iframe title="Other site" src="${foreign}" width="100%" height="320"></iframe>
<iframe title="Without address" srcdoc="<button onclick=&quot;this.textContent='Pressed'&quot;>Press</button>"></iframe>
</section>`,
  })
}
