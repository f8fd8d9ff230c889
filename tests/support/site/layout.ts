import { type Markup, markup } from './markup.ts'

/** One page of the site with its common look. `head` comes first, before any style sheet. */
export function layout(page: { lang: string; title: string; head?: Markup; body: Markup }): Markup {
  return markup`<html lang="${page.lang}">
<head>
<meta charset="utf-8">${page.head}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main>
${page.body}
</main>
</body>
</html>
`
}

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect x="4" y="2" width="24" height="28" rx="5" fill="#3454d1"/>
<path d="M10 11h12M10 16h12M10 21h7" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/>
</svg>
`

export const STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2333, #e8ebf4);
  --quiet: light-dark(#5d6780, #9aa5c0);
  --paper: light-dark(#f3f5fb, #12151f);
  --card: light-dark(#ffffff, #1b2030);
  --line: light-dark(#dde2ef, #2d3448);
  --accent: light-dark(#3454d1, #6f8cff);
  --bad: light-dark(#b3261e, #ff8a80);
}
* { box-sizing: border-box }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif;
}
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
header { display: flex; align-items: center; gap: .9rem; margin-bottom: 1.75rem }
header img { width: 2.6rem }
header h1 { margin: 0; font-size: 1.45rem; line-height: 1.2 }
header p { margin: .1rem 0 0; color: var(--quiet); font-size: .9rem }
nav { margin-left: auto; display: flex; align-items: center; gap: 1rem; font-size: .9rem; white-space: nowrap }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: .9rem;
  padding: 1.25rem 1.4rem; margin-bottom: 1.25rem;
}
.card h2 { margin: 0 0 .8rem; font-size: 1.05rem }
label { display: block; margin-bottom: .85rem; font-size: .9rem; color: var(--quiet) }
input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable] {
  display: block; width: 100%; margin-top: .25rem; padding: .55rem .7rem; font: inherit; color: var(--ink);
  background: var(--paper); border: 1px solid var(--line); border-radius: .55rem;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
button {
  padding: .55rem 1.1rem; font: inherit; font-weight: 600; color: light-dark(#fff, #0d1020);
  background: var(--accent); border: 0; border-radius: .55rem; cursor: pointer;
}
button:disabled { opacity: .45; cursor: default }
button.plain { background: none; color: var(--accent); padding: 0; font-weight: 500 }
a { color: var(--accent) }
.note { border-top: 1px solid var(--line); padding: .8rem 0 }
.note:first-child { border-top: 0; padding-top: 0 }
.note h3 { margin: 0; font-size: 1rem }
.note p { margin: .2rem 0 }
.note time, .quiet { color: var(--quiet); font-size: .85rem }
.bad { color: var(--bad) }
.row { display: flex; flex-wrap: wrap; gap: .7rem; align-items: center }
.under { position: relative; display: inline-block }
.cover { position: absolute; inset: 0; border-radius: .55rem; background: rgb(255 190 60 / .55) }
`
