/** One note of the demo application. */
export interface Note {
  id: number
  title: string
  body: string
  author: string
  /** ISO 8601 */
  created_at: string
}

/** The notes, newest first. */
export class Notebook {
  #notes: Note[] = SEEDED.map((note, index) => ({ id: index + 1, author: 'demo', ...note })).reverse()

  list(): readonly Note[] {
    return this.#notes
  }

  add(title: string, body: string, author: string): Note {
    const note = { id: this.#notes.length + 1, title, body, author, created_at: new Date().toISOString() }
    this.#notes = [note, ...this.#notes]
    return note
  }
}

const SEEDED = [
  { title: 'Welcome', body: 'Notes that only you can see.', created_at: '2026-01-05T08:00:00.000Z' },
  { title: '购物清单', body: '茶叶、米、酱油', created_at: '2026-01-06T09:30:00.000Z' },
  {
    title: 'Meeting <draft>',
    body: 'Ask about "quotes" & ampersands.',
    created_at: '2026-01-07T10:45:00.000Z',
  },
]
