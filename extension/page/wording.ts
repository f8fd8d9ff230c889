import { shownRole } from './clickable.ts'
import { nameOf } from './names.ts'
import { quote, shorten, tidy } from './text.ts'

/** An element in words that an agent can act on: `dialog "Cookies" <div#consent>`. */
export function inWords(element: Element): string {
  const role = shownRole(element)
  const name = nameOf(element, role) || tidy(element.textContent).slice(0, 60)
  const words = [role === 'generic' || role === 'none' ? 'an element' : role]
  if (name !== '') words.push(quote(shorten(name, 50)))
  return `${words.join(' ')} ${markupOf(element)}`
}

function markupOf(element: Element): string {
  const id = element.id === '' ? '' : `#${element.id}`
  const first = element.classList[0]
  const className = id === '' && first ? `.${first}` : ''
  return `<${element.localName}${id}${className}>`
}
