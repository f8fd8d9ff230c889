import { DATE_FILTERS } from './filters/dates.ts'
import { FILE_FILTERS } from './filters/files.ts'
import type { Filter } from './filters/filter.ts'
import { HTML_FILTERS } from './filters/html.ts'
import { LIST_FILTERS } from './filters/lists.ts'
import { NUMBER_FILTERS } from './filters/numbers.ts'
import { PATTERN_FILTERS } from './filters/patterns.ts'
import { TEXT_FILTERS } from './filters/text.ts'
import { URL_FILTERS } from './filters/urls.ts'
import { VALUE_FILTERS } from './filters/values.ts'

export { text } from './expression-values.ts'

/** Filters by family, as the reference shows them. */
export const FILTER_FAMILIES: Readonly<Record<string, Readonly<Record<string, Filter>>>> = {
  Text: TEXT_FILTERS,
  Patterns: PATTERN_FILTERS,
  Numbers: NUMBER_FILTERS,
  Dates: DATE_FILTERS,
  'Lists and objects': LIST_FILTERS,
  HTML: HTML_FILTERS,
  Addresses: URL_FILTERS,
  'Names of files': FILE_FILTERS,
  'Any value': VALUE_FILTERS,
}

/** Filters by their names, without other names. */
export const FILTERS: Readonly<Record<string, Filter>> = Object.assign(
  {},
  ...Object.values(FILTER_FAMILIES),
) as Readonly<Record<string, Filter>>

/** Filters by every name that an expression may call them. */
export const FILTERS_BY_NAME: ReadonlyMap<string, Filter> = new Map(
  Object.entries(FILTERS).flatMap(([name, filter]) =>
    [name, ...(filter.aliases ?? [])].map(each => [each, filter] as const),
  ),
)

export const FILTER_NAMES: readonly string[] = [...FILTERS_BY_NAME.keys()]
