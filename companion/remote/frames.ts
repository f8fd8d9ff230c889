/** The frames of one tab, by the numbers that extensions know them by. */

export type World = 'ISOLATED' | 'MAIN'

export interface RemoteFrame {
  /** 0 is the main frame. */
  id: number
  /** -1 above the main frame. */
  parent: number
  /** The protocol's own id. */
  key: string
  /** The session of the process that shows it. */
  session: string
  url: string
  /** Names the document that it shows. */
  document: string
  /** Execution contexts of that document. */
  contexts: Map<World, number>
}

/** What the protocol tells of a frame. */
export interface FrameNews {
  id: string
  parentId?: string
  loaderId: string
  url: string
  urlFragment?: string
}

export interface FrameTree {
  frame: FrameNews
  childFrames?: FrameTree[]
}

export class Frames {
  readonly #byKey = new Map<string, RemoteFrame>()
  #next = 1

  get main(): RemoteFrame | undefined {
    return this.byId(0)
  }

  all(): RemoteFrame[] {
    return [...this.#byKey.values()]
  }

  byKey(key: string): RemoteFrame | undefined {
    return this.#byKey.get(key)
  }

  byId(id: number): RemoteFrame | undefined {
    return this.all().find(frame => frame.id === id)
  }

  byDocument(document: string): RemoteFrame | undefined {
    return this.all().find(frame => frame.document === document)
  }

  inSession(session: string): RemoteFrame[] {
    return this.all().filter(frame => frame.session === session)
  }

  /** A new document, or a new frame. */
  shows(news: FrameNews, session: string): RemoteFrame {
    const frame = this.add(news.id, news.parentId ?? null, session)
    const document = `${news.id}.${news.loaderId}`
    if (frame.document !== document || frame.session !== session) frame.contexts.clear()
    frame.session = session
    frame.document = document
    frame.url = news.url + (news.urlFragment ?? '')
    return frame
  }

  add(key: string, parentKey: string | null, session: string): RemoteFrame {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const parent = parentKey === null ? -1 : (this.#byKey.get(parentKey)?.id ?? 0)
    const id = parentKey === null ? 0 : this.#next++
    const made: RemoteFrame = {
      ...{ id, parent, key, session, url: '', document: `${key}.` },
      contexts: new Map(),
    }
    this.#byKey.set(key, made)
    return made
  }

  readTree({ frame, childFrames = [] }: FrameTree, session: string): void {
    this.shows(frame, session)
    for (const child of childFrames) this.readTree(child, session)
  }

  /** And all below it. */
  remove(key: string): void {
    const frame = this.#byKey.get(key)
    if (frame === undefined) return
    this.#byKey.delete(key)
    for (const child of this.all()) if (child.parent === frame.id) this.remove(child.key)
  }
}
