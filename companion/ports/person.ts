/** What is asked of the person. Without choices any text is an answer. */
export interface Question {
  text: string
  choices: readonly string[]
}

export interface Notice {
  title: string
  text: string
}

/** The person at the computer, over whatever surface they are at. */
export interface PersonPort {
  /** Waits for the first answer on any surface. Fails with answer_missing when the person would not say, or when
   *  none came before the run's deadline. */
  ask(question: Question): Promise<string>
  /** Tells the person something and does not wait. */
  notify(notice: Notice): void
}
