import { asset, html, json, type Routes, refusal } from './exchange.ts'
import { layout } from './layout.ts'
import { markup } from './markup.ts'

/** One page with every kind of control that an agent meets, each button named by what it does. */
export function controlsPage(): Routes {
  return {
    'GET /controls': () => html(PAGE),
    'GET /controls.js': () => asset('text/javascript', SCRIPT),
    'POST /api/controls': request => {
      try {
        return json({ saved: JSON.parse(request.body) }, 201)
      } catch {
        return refusal(400, 'not_json', 'Send JSON.')
      }
    },
  }
}

const FORM = markup`<form class="card" id="person" aria-labelledby="person-heading">
<h2 id="person-heading">登记表 · Registration</h2>
<label>姓名<input name="name" placeholder="张三"></label>
<label>城市<select name="city"><option value="">请选择</option>
<option value="beijing">北京</option><option value="shanghai">上海</option><option value="chengdu">成都</option></select></label>
<label><input type="checkbox" name="subscribe"> 订阅通知</label>
<div class="row" role="radiogroup" aria-label="Size">
<label><input type="radio" name="size" value="small"> Small</label>
<label><input type="radio" name="size" value="large"> Large</label></div>
<span class="quiet" id="remark-label">备注</span>
<div contenteditable="true" role="textbox" aria-multiline="true" aria-labelledby="remark-label" id="remark"></div>
<p class="row"><button type="submit">提交</button><output id="saved" role="status"></output></p>
</form>`

const BUTTONS = markup`<section class="card" aria-labelledby="buttons-heading">
<h2 id="buttons-heading">Buttons</h2>
<div class="row">
<button data-does="count">Count</button>
<span class="under"><button data-does="covered">Covered</button><span class="cover" data-does="cover"></span></span>
<button data-does="disabled" disabled>Disabled</button>
<button data-does="enable">Enable the disabled one</button>
<button data-does="nothing">Do nothing</button>
<button data-does="replace">Replace me</button>
<button data-does="remove">Remove me</button>
<button data-does="trusted">Real clicks only</button>
<button data-does="add-later">Add a button later</button>
<button data-does="ask">Ask a question</button>
<button data-does="leave">Go to the feed</button>
<button data-does="hidden" hidden>Hidden</button>
<span id="open-shadow"></span><span id="closed-shadow"></span>
</div>
<p id="later"></p>
<h2 id="events-heading">Events</h2>
<ol id="events" aria-labelledby="events-heading"></ol>
</section>
<div style="height: 120vh"></div>
<section class="card"><button data-does="far">Far below</button></section>`

/** Each entry is what one button does, besides being written into the list of events. */
const SCRIPT = `const events = document.querySelector('#events')
const note = text => events.append(Object.assign(document.createElement('li'), { textContent: text }))
let count = 0

const actions = {
  count: () => note('count ' + ++count),
  covered: () => note('covered'),
  cover: () => note('cover'),
  disabled: () => note('disabled'),
  enable: () => { document.querySelector('[data-does=disabled]').disabled = false },
  replace: button => {
    const fresh = button.cloneNode(true)
    button.replaceWith(fresh)
    note('replaced')
  },
  remove: button => { button.remove(); note('removed') },
  trusted: (_, event) => note(event.isTrusted ? 'trusted' : 'untrusted'),
  'add-later': () => setTimeout(() => {
    const late = Object.assign(document.createElement('button'), { textContent: 'Late' })
    late.dataset.does = 'late'
    document.querySelector('#later').append(late)
  }, 300),
  late: () => note('late'),
  ask: () => note(confirm('继续吗？ Go on?') ? 'yes' : 'no'),
  leave: () => location.assign('/feed'),
  hidden: () => note('hidden'),
  far: () => note('far'),
}

document.addEventListener('click', event => {
  const button = event.target.closest?.('[data-does]')
  if (button) actions[button.dataset.does]?.(button, event)
})

for (const mode of ['open', 'closed']) {
  const inside = Object.assign(document.createElement('button'), { textContent: 'In ' + mode + ' shadow' })
  inside.addEventListener('click', () => note(mode + ' shadow'))
  document.querySelector('#' + mode + '-shadow').attachShadow({ mode }).append(inside)
}

const form = document.querySelector('#person')
form.addEventListener('submit', async event => {
  event.preventDefault()
  const fields = Object.fromEntries(new FormData(form))
  const person = { ...fields, subscribe: 'subscribe' in fields, remark: form.querySelector('#remark').textContent }
  const answer = await fetch('/api/controls', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(person),
  })
  const { saved } = await answer.json()
  form.querySelector('#saved').textContent = '已保存：' + saved.name
})
`

const PAGE = layout({
  lang: 'zh-CN',
  title: 'Controls · 控件',
  body: markup`${FORM}${BUTTONS}<script src="/controls.js"></script>`,
})
