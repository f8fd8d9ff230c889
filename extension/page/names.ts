import { flatChildren, isElement, isHtml, isText, labelsOf, related, tagOf } from './dom.ts'
import { isSecret, rawValueOf } from './field-values.ts'
import { childrenShown, isAriaHidden, isHidden, isRendered } from './rendering.ts'
import { ownerOf } from './role-context.ts'
import { NAMED_BY_CONTENT, NEVER_NAMED, type Role, VALUE_ROLES } from './role-table.ts'
import { givenRole, roleOf } from './roles.ts'
import { drawn, generatedText, isInline } from './styled-text.ts'
import { collapsed, tidy } from './text.ts'

/**
 * The accessible name: accname 1.2 with the native sources of HTML-AAM and SVG-AAM. Where an author gave a role that
 * must not be named, it is not; HTML-AAM tells how to name elements that have such a role by themselves.
 */
export function nameOf(element: Element, role: Role = roleOf(element)): string {
  if (NEVER_NAMED.has(role) && (role === 'none' || givenRole(element) === role)) return ''
  const text = alternative(element, startAt(element, role), role)
  return tidy(text) ? collapsed(text) : ''
}

/** The text of an element's content by the same rules, whatever its role. */
export function contentOf(element: Element): string {
  return tidy(content(element, startAt(element, '')))
}

interface Walk {
  /** The element that is being named. */
  top: Element
  /** Elements that were asked already: none is asked twice, whatever refers to it. */
  seen: Set<Element>
  /** Why this node is asked: for itself, because a relation or a label names it, or as part of some content. */
  via: 'self' | 'relation' | 'label' | 'content'
  /** Within aria-labelledby, which is followed once only. */
  labelling: boolean
  /** Within something hidden that was named on purpose: then its hidden parts count. */
  hidden: boolean
  /** The named element has branches (a tree item's group, a menu item's menu), which are not of its name. */
  branching: boolean
}

const BRANCHING = new Set(['treeitem', 'menuitem', 'menuitemcheckbox', 'menuitemradio'])
const BRANCHES = new Set(['group', 'menu', 'tree'])

const startAt = (element: Element, role: Role): Walk => ({
  top: element,
  seen: new Set(),
  via: 'self',
  labelling: false,
  hidden: false,
  branching: BRANCHING.has(role),
})

/** Step 2 of accname for one element. */
function alternative(element: Element, walk: Walk, role: Role = roleOf(element)): string {
  if (walk.via === 'content' && !walk.hidden && isLeftOut(element)) return ''
  if (walk.via === 'content' && (role === 'menu' || (walk.branching && BRANCHES.has(role)))) return ''
  if (!walk.labelling) {
    const text = byRelation(element, walk)
    if (tidy(text)) return text
  }
  if (walk.seen.has(element)) return ''
  walk.seen.add(element)
  return byItself(element, walk, role)
}

const isLeftOut = (element: Element): boolean =>
  isAriaHidden(element) || element.hasAttribute('inert') || !isRendered(element)

function byRelation(element: Element, walk: Walk): string {
  return related(element, 'labelledby')
    .map(label => alternative(label, { ...walk, via: 'relation', labelling: true, hidden: isHidden(label) }))
    .filter(text => tidy(text))
    .join(' ')
}

function byItself(element: Element, walk: Walk, role: Role): string {
  if (element !== walk.top && VALUE_ROLES.has(role))
    return isSecret(element) ? '' : (rawValueOf(element, role) ?? '')
  if (element.localName === 'slot') return content(element, walk)
  const label = element.getAttribute('aria-label')
  if (label?.trim() && isShown(element, walk)) return label
  if (role !== 'none') {
    const native = nativeText(element, walk)
    if (tidy(native) && isShown(element, walk)) return native
  }
  if (walk.via !== 'self' || NAMED_BY_CONTENT.has(role)) {
    const text = content(element, walk)
    // White space alone is no name, but it may stand between two words.
    if (tidy(text) || tooltipOf(element, role) === '') return text
  }
  return isShown(element, walk) ? tooltipOf(element, role) : ''
}

/** What is only invisible (not unrendered) may hold visible parts, but says nothing itself. */
const isShown = (element: Element, walk: Walk): boolean =>
  walk.via !== 'content' || walk.hidden || getComputedStyle(element).visibility === 'visible'

function tooltipOf(element: Element, role: Role): string {
  // An alternative text that is empty on purpose says that there is nothing to say.
  if (role === 'none' || (element.localName === 'area' && element.hasAttribute('alt'))) return ''
  if (isHtml(element)) return element.getAttribute('title') ?? ''
  return element.getAttributeNS('http://www.w3.org/1999/xlink', 'title') ?? ''
}

function content(element: Element, walk: Walk): string {
  const inner: Walk = { ...walk, via: 'content' }
  let text = generatedText(element, '::before')
  const style = getComputedStyle(element)
  for (const child of walk.hidden ? flatChildren(element) : childrenShown(element, style)) {
    if (isText(child)) text += textOf(child, style, walk)
    else if (isElement(child) && ownerOf(child) === null) text += spaced(child, alternative(child, inner))
  }
  text += generatedText(element, '::after')
  for (const owned of related(element, 'owns')) {
    if (ownerOf(owned) === element) text += ` ${alternative(owned, inner)} `
  }
  return text
}

/** What is hidden is not drawn: there the markup's own letters count. */
function textOf({ data }: Text, style: CSSStyleDeclaration, { hidden }: Walk): string {
  if (hidden) return data
  return style.visibility === 'visible' ? drawn(data, style) : ''
}

/** Text of what is not inline stands apart from its neighbours. */
function spaced(element: Element, text: string): string {
  if (element.localName === 'br') return ' '
  return isInline(element, getComputedStyle(element).display) ? text : ` ${text} `
}

/** Names that the markup gives: labels, captions, alternative texts. */
function nativeText(element: Element, walk: Walk): string {
  if (!isHtml(element)) return svgTitle(element)
  const tag = element.localName
  switch (tag) {
    case 'input':
      return labelText(element, walk) || inputText(element as HTMLInputElement)
    case 'textarea':
    case 'select':
      return labelText(element, walk) || element.title || placeholderOf(element)
    case 'button':
    case 'meter':
    case 'output':
    case 'progress':
      return labelText(element, walk)
    case 'img':
      return element.getAttribute('alt') ?? (element.title || captionOfOnly(element, walk))
    case 'area':
      return element.getAttribute('alt') ?? ''
    case 'option':
      return element.getAttribute('label') ?? ''
    case 'optgroup':
      return captionText(element, 'legend', walk) || (element.getAttribute('label') ?? '')
    case 'table':
      return captionText(element, 'caption', walk) || element.title || (element.getAttribute('summary') ?? '')
    default:
      return CAPTIONS[tag] ? captionText(element, CAPTIONS[tag], walk) : ariaPlaceholder(element)
  }
}

const CAPTIONS: Record<string, string> = { fieldset: 'legend', figure: 'figcaption' }

function captionText(element: Element, tag: string, walk: Walk): string {
  const caption = [...element.children].find(child => child.localName === tag)
  return caption ? labelled(caption, walk) : ''
}

/** The caption of a figure that holds nothing but this image. */
function captionOfOnly(image: Element, walk: Walk): string {
  const figure = image.closest('figure')
  if (!figure || walk.via === 'content') return ''
  const others = [...figure.childNodes].filter(
    child =>
      !child.contains(image) &&
      (isText(child) ? child.data.trim() !== '' : isElement(child) && child.localName !== 'figcaption'),
  )
  const around = [...figure.children].find(child => child.contains(image))
  return others.length === 0 && around?.textContent.trim() === ''
    ? captionText(figure, 'figcaption', walk)
    : ''
}

/** The text of all labels of a control. */
function labelText(element: Element, walk: Walk): string {
  return labelsFor(element)
    .map(label => labelled(label, walk))
    .filter(tidy)
    .join(' ')
}

/** The labels of a custom element mean the control in its shadow tree, where that has none of its own. */
function labelsFor(element: Element): readonly Element[] {
  const own = labelsOf(element)
  const host = (element.getRootNode() as Partial<ShadowRoot>).host
  return own.length === 0 && host ? labelsOf(host) : own
}

function labelled(label: Element, walk: Walk): string {
  return alternative(label, { ...walk, via: 'label', hidden: walk.hidden || isHidden(label) })
}

const BUTTON_DEFAULTS: Record<string, string> = { submit: 'Submit', reset: 'Reset' }

function inputText(input: HTMLInputElement): string {
  if (input.type === 'image') return input.alt || input.title || 'Submit Query'
  if (['button', 'submit', 'reset'].includes(input.type)) {
    return input.getAttribute('value') ?? BUTTON_DEFAULTS[input.type] ?? ''
  }
  return input.title || placeholderOf(input)
}

const placeholderOf = (element: Element): string =>
  element.getAttribute('placeholder') || ariaPlaceholder(element)

const ariaPlaceholder = (element: Element): string => element.getAttribute('aria-placeholder') ?? ''

function svgTitle(element: Element): string {
  const title = [...element.children].find(child => tagOf(child) === 'title')
  return title?.textContent ?? element.getAttributeNS('http://www.w3.org/1999/xlink', 'title') ?? ''
}
