/** The way from the document to an element, on which the page's own world can go as well. */
export interface DomPath {
  /** Child numbers; -1 goes into the shadow root. */
  steps: number[]
  /** By which a way that has changed meanwhile is noticed. */
  tag: string
}

/** Null where it leads through a closed shadow root, into which scripts of the page cannot go. */
export function domPathOf(element: Element): DomPath | null {
  const steps: number[] = []
  let at: Node = element
  while (at !== document) {
    const parent: Node | null = at.parentNode
    if (parent) {
      steps.unshift([...parent.childNodes].indexOf(at as ChildNode))
      at = parent
      continue
    }
    if (!(at instanceof ShadowRoot) || at.mode !== 'open') return null
    steps.unshift(-1)
    at = at.host
  }
  return { steps, tag: element.localName }
}
