import { browser } from 'wxt/browser'

/** What browsers call the window that has the focus where another program has it. */
const NO_WINDOW = -1

interface Shift {
  now: number
  before: number | null
}

/** What the person has before them: the tab in front of each window, the window that has the focus, and what was there before. */
export class Front {
  readonly #tabs = new Map<number, Shift>()
  #window: Shift = { now: NO_WINDOW, before: null }
  readonly #looked: Promise<void>

  constructor() {
    browser.tabs.onActivated.addListener(({ tabId, windowId }) => {
      const known = this.#tabs.get(windowId)
      if (known?.now !== tabId) this.#tabs.set(windowId, { now: tabId, before: known?.now ?? null })
    })
    browser.windows.onRemoved.addListener(window => void this.#tabs.delete(window))
    browser.windows.onFocusChanged.addListener(window => {
      if (window !== this.#window.now) this.#window = { now: window, before: this.#window.now }
    })
    browser.tabs.onReplaced?.addListener((tab, replaced) => {
      for (const shift of this.#tabs.values()) if (shift.now === replaced) shift.now = tab
    })
    this.#looked = this.#look()
  }

  /** Whether the tab is in front of its window. */
  async shows(tab: number): Promise<boolean> {
    await this.#looked
    return [...this.#tabs.values()].some(({ now }) => now === tab)
  }

  /** Whether the tab was in front of its window before the newest one came. */
  wasInFront(tab: number): boolean {
    return [...this.#tabs.values()].some(({ now, before }) => now === tab || before === tab)
  }

  /**
   * Gives the front back from a tab that a page has put there. Nothing is done when meanwhile something else is in
   * front, or when it is not known what was there before: then the person's own will is as likely.
   */
  async giveBack(tab: number): Promise<void> {
    try {
      const { active, windowId } = await browser.tabs.get(tab)
      if (!active) return
      const { type } = await browser.windows.get(windowId)
      if (type === 'popup') await this.#giveWindowBack(windowId)
      else await this.#giveTabBack(tab, windowId)
    } catch (error) {
      // What is gone needs no front, and to what is gone none can be given.
      console.debug(`the front of tab ${tab} could not be given back`, error)
    }
  }

  async #giveTabBack(tab: number, window: number): Promise<void> {
    const shift = this.#tabs.get(window)
    if (shift?.now !== tab || shift.before === null) return
    const before = await browser.tabs.get(shift.before)
    if (before.windowId === window) await browser.tabs.update(shift.before, { active: true })
  }

  /** Where another program had the focus, only a window that is put away lets it go back there. */
  async #giveWindowBack(popup: number): Promise<void> {
    const { focused } = await browser.windows.get(popup)
    if (!focused) return
    const { now, before } = this.#window
    const last = now === popup ? before : now
    if (last === null || last === NO_WINDOW) await browser.windows.update(popup, { state: 'minimized' })
    else await browser.windows.update(last, { focused: true })
  }

  /** What is in front when the worker starts. */
  async #look(): Promise<void> {
    for (const { id, windowId } of await browser.tabs.query({ active: true }))
      if (id !== undefined && !this.#tabs.has(windowId)) this.#tabs.set(windowId, { now: id, before: null })
    const focused = (await browser.windows.getAll()).find(window => window.focused)?.id
    if (focused !== undefined && this.#window.before === null) this.#window = { now: focused, before: null }
  }
}
