const MARKS: Readonly<Record<string, true>> = {
  s: true,
  d: true,
  i: true,
  f: true,
  o: true,
  O: true,
  c: true,
}

/**
 * One line of what a script gave to its console, each as text: the first, where it is one itself, may say with `%s` and
 * the like where others stand in it. What `%c` brings is style. By hand, since a page can see its own functions called.
 */
export function consoleText(texts: readonly string[], beginsWithText: boolean): string {
  const first = texts[0] ?? ''
  let shown = ''
  let used = 1
  if (!beginsWithText || texts.length === 1) shown = first
  else
    for (let at = 0; at < first.length; at += 1) {
      const mark = first[at] === '%' ? (first[at + 1] ?? '') : ''
      const isTaken = MARKS[mark] === true && used < texts.length
      if (isTaken) {
        if (mark !== 'c') shown += texts[used]
        used += 1
      } else shown += first[at]
      if (isTaken || mark === '%') at += 1
    }
  for (; used < texts.length; used += 1) shown += ` ${texts[used]}`
  return shown
}
