import type { Failure, FailureCode, FailureJson } from '../../shared/failures.ts'

type FailureParams<C extends FailureCode> = Failure<C>['params']

/**
 * What page code throws on purpose. It carries a code and its params only: the words are made from the table
 * in shared/failures.ts on the other side, so that the table is not injected into every page.
 */
export class PageFailure extends Error {
  override readonly name = 'PageFailure'
  readonly json: FailureJson

  private constructor(json: FailureJson) {
    super(json.code)
    this.json = json
  }

  /** The params are those of the code's row in the table. */
  static of<C extends FailureCode>(code: C, params: FailureParams<C>): PageFailure {
    return new PageFailure({ code, params: { ...params } })
  }

  /** What came from the worker. */
  static from(json: FailureJson): PageFailure {
    return new PageFailure(json)
  }
}

/** What crosses to the worker for anything that was thrown. */
export function failureJson(error: unknown): FailureJson {
  if (error instanceof PageFailure) return error.json
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { code: 'internal', params: { reason: `page: ${reason}` } }
}
