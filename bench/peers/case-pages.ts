/** Pages by path. What a tool should bring about, the page itself says: `say('clicked')`. */
export const PAGES: Record<string, string> = {
  plain: `<button onclick="say('clicked')">Go</button>`,

  covered: `<button onclick="say('clicked')">Go</button>
    <div id="shield" style="position:fixed;inset:0;background:#0003" onclick="say('shield')">Please wait</div>`,

  overlay: `<button onclick="say('clicked')">Go</button>
    <div id="toast" style="position:fixed;inset:0;background:#0003" onclick="say('toast')">Saving</div>
    <script>setTimeout(() => document.getElementById('toast').remove(), 1500)</script>`,

  disabled: `<button disabled onclick="say('clicked')">Go</button>
    <script>setTimeout(() => { document.querySelector('button').disabled = false }, 1500)</script>`,

  'never-enabled': `<button disabled onclick="say('clicked')">Go</button>`,

  moving: `<style>button { position: absolute; animation: slide 1.6s linear }
      @keyframes slide { from { left: 0 } to { left: 500px } }</style>
    <button style="left:500px" onclick="say('clicked')">Go</button>`,

  rerendered: `<div id="root"><button onclick="say('old')">Go</button></div>
    <script>onOrder(() => {
      document.getElementById('root').innerHTML = '<button onclick="say(\\'clicked\\')">Go</button>'
      say('rerendered')
    })</script>`,

  restless: `<div id="root"></div><script>
    const draw = () => {
      const button = document.createElement('button')
      button.textContent = 'Go'
      button.onclick = () => say('clicked')
      document.getElementById('root').replaceChildren(button)
      requestAnimationFrame(draw)
    }
    draw()
  </script>`,

  readonly: `<label>Code <input readonly value="old" oninput="say('input')" onchange="say('change')"></label>
    <script>onOrder(() => say('value=' + document.querySelector('input').value))</script>`,

  editable: `<div contenteditable role="textbox" aria-label="Note">old</div>
    <script>onOrder(() => say('value=' + document.querySelector('[contenteditable]').innerText.trim()))</script>`,

  confirm: `<button onclick="say('asked'); say(confirm('Delete all files?') ? 'yes' : 'no')">Go</button>`,

  drag: `<div id="card" draggable="true" role="button" aria-label="Card" style="padding:20px;background:#eee"
      ondragstart="event.dataTransfer.setData('text/plain', 'the card')">Card</div>
    <div id="bin" role="button" aria-label="Bin" style="margin-top:80px;padding:40px;background:#ddd"
      ondragover="event.preventDefault()"
      ondrop="event.preventDefault(); say('dropped ' + event.dataTransfer.getData('text/plain'))">Bin</div>`,

  upload: `<label>File <input type="file" onchange="say(this.files[0].name + ' ' + this.files[0].size)"></label>`,

  closed: `<div id="host"></div><script>
    const root = document.getElementById('host').attachShadow({ mode: 'closed' })
    root.innerHTML = '<button>Go</button>'
    root.querySelector('button').onclick = () => say('clicked')
  </script>`,

  frames: `<h1>Top</h1><iframe src="http://a.localhost:PORT/middle" width="600" height="300"></iframe>`,
  middle: `<h2>Middle</h2><iframe src="http://b.localhost:PORT/leaf" width="400" height="150"></iframe>`,
  leaf: `<button onclick="say('clicked')">Go</button>`,

  detached: `<iframe id="frame" src="/leaf"></iframe>
    <script>onOrder(() => { document.getElementById('frame').remove(); say('detached') })</script>`,

  combobox: `<div id="box" role="combobox" tabindex="0" aria-label="Colour" aria-expanded="false"
      aria-controls="list" style="border:1px solid;width:120px">Red</div>
    <div id="list" role="listbox" hidden></div>
    <script>
      const box = document.getElementById('box'), list = document.getElementById('list')
      box.onclick = () => {
        list.hidden = false
        box.ariaExpanded = 'true'
        list.innerHTML = ['Red', 'Green', 'Blue'].map(name => '<div role="option">' + name + '</div>').join('')
        for (const option of list.children) option.onclick = () => {
          box.textContent = option.textContent
          list.hidden = true
          box.ariaExpanded = 'false'
          say('chose ' + option.textContent)
        }
      }
    </script>`,

  link: `<a href="/slow-answer">Go</a>`,

  dirty: `<label>Draft <input></label><script>
    window.onbeforeunload = event => { event.preventDefault(); return 'unsaved' }
  </script>`,

  left: `<button onclick="say('clicked')">Go</button>`,
  other: `<button onclick="say('wrong')">Delete everything</button>`,

  dead: `<button>Go</button>`,

  counter: `<h1>Counter</h1><p id="out">0</p>
    <label>Name <input></label>
    <label>Colour <select><option>Red<option>Blue</select></label>
    <button onclick="out.textContent = ++n; say('count ' + n)">Count</button>
    <button onclick="out.append('.')">More</button>
    <script>let n = 0; const out = document.getElementById('out')</script>`,

  controlled: `<div id="root"></div><script>
    // What React does: the node's value property is tracked, and a value that came past the setter is put back.
    const input = document.createElement('input')
    input.setAttribute('aria-label', 'Name')
    let state = ''
    const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    let tracked = ''
    Object.defineProperty(input, 'value', {
      configurable: true,
      get() { return own.get.call(this) },
      set(value) { tracked = value; own.set.call(this, value) },
    })
    input.addEventListener('input', () => {
      const now = own.get.call(input)
      if (now === tracked) return
      tracked = state = now
      queueMicrotask(() => { input.value = state })
      say('state=' + state)
    })
    document.getElementById('root').append(input)
    onOrder(() => say('value=' + own.get.call(input) + ' state=' + state))
  </script>`,
}

/** A page of so many elements: sections of headings, links, texts and a few controls. */
export function pageOfNodes(count: number): string {
  const sections = Array.from(
    { length: Math.round(count / 10) },
    (
      _,
      at,
    ) => `<section><h2>Section ${at}</h2><p>About <a href="/s/${at}">number ${at}</a> there is little to say.</p>
      <ul><li>One</li><li>Two</li></ul><div><span>Price ${at * 7}</span><button>Buy ${at}</button></div></section>`,
  )
  return `<main>${sections.join('')}</main>`
}
