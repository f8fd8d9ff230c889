/** What the person does from the panel with the tabs that agents use. */
export interface PersonDeeds {
  /** Brings a tab before them, and shows what was acted on there last; without an id, the session's current one. */
  show(session: string, id: string | undefined): Promise<void>
  /** Ends a session: its tabs are closed, those lent given back. */
  end(session: string): Promise<void>
  /** Lends a tab of theirs. */
  lend(session: string, tab: number): Promise<void>
  giveBack(tab: number): Promise<void>
}
