import { oncePerTurn } from './clock.ts'
import { flatParent, isMatch, markupParent, nearest, related, rootOf } from './dom.ts'
import { isAriaHidden, isRendered } from './rendering.ts'
import type { Role } from './role-table.ts'

/** Roles that mean nothing outside of certain others (WAI-ARIA: required accessibility parent role). */

const within = (roles: string): ReadonlySet<Role> => new Set(roles.split(' '))

const TABLES = 'table grid treegrid'
const MENUS = within('menu menubar group')

/** A gridcell may lie in a grid without a row: authors forget rows, and readers tell it all the same. */
const WANTED: Record<Role, ReadonlySet<Role>> = {
  columnheader: within('row'),
  gridcell: within('row grid treegrid'),
  listitem: within('list'),
  menuitem: MENUS,
  menuitemcheckbox: MENUS,
  menuitemradio: MENUS,
  option: within('listbox group'),
  row: within(`rowgroup ${TABLES}`),
  rowgroup: within(TABLES),
  rowheader: within('row'),
  tab: within('tablist'),
  treeitem: within('tree group'),
}

/**
 * True when the role means something where the element stands: anywhere within what it wants, or owned by that.
 * `claimed` gives the role that an element has by its own, whatever is around it.
 */
export function hasContext(element: Element, role: Role, claimed: (around: Element) => Role): boolean {
  const wanted = WANTED[role]
  if (!wanted) return true
  if (role === 'rowgroup' && element.querySelector('[role=row]')) return true
  return nearestOf(element, around => wanted.has(claimed(around))) !== null
}

/** The list that an `li` is an item of: the nearest around it, or the one that owns it. */
export const listAround = (item: Element, claimed: (around: Element) => Role): Element | null =>
  nearestOf(item, around => isMatch(around, 'ul, ol, menu, dir') || claimed(around) === 'list')

/** By the slots that show it; what no slot shows has its place in the markup still. */
const around = (element: Element): Element | null => flatParent(element) ?? markupParent(element)

function nearestOf(element: Element, fits: (around: Element) => boolean): Element | null {
  const owner = ownerOf(element)
  if (owner && fits(owner)) return owner
  for (let at = around(element); at; at = around(at)) {
    if (fits(at)) return at
    const other = ownerOf(at)
    if (other && fits(other)) return other
  }
  return null
}

type Owners = Map<Element, Element>

const ownersByRoot = oncePerTurn(() => new Map<Document | ShadowRoot, Owners>())

/** The element that owns this one by aria-owns, from elsewhere in its tree. */
export function ownerOf(element: Element): Element | null {
  const root = rootOf(element)
  const known = ownersByRoot().get(root) ?? readOwners(root)
  ownersByRoot().set(root, known)
  return known.get(element) ?? null
}

/** What is not in the accessibility tree owns nothing. */
const isTold = (element: Element): boolean => isRendered(element) && nearest(element, isAriaHidden) === null

function readOwners(root: Document | ShadowRoot): Owners {
  const owners: Owners = new Map()
  for (const owner of root.querySelectorAll('[aria-owns]')) {
    if (!isTold(owner)) continue
    for (const owned of related(owner, 'owns')) {
      if (!owners.has(owned) && isRendered(owned) && !owned.contains(owner)) owners.set(owned, owner)
    }
  }
  return owners
}
