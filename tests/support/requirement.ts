import { describe } from 'vitest'

/** Something outside of npm that a suite needs and that a machine may lack. */
export interface Requirement {
  /** What the report shows for the skipped suite, e.g. `MediaWiki (Debian package)`. */
  name: string
  available: boolean
}

/**
 * `describe` for suites that need it: skipped where the machine lacks it, with the lack in the title. In CI
 * nothing is skipped: there the suite runs, and fails.
 */
export function describeNeeding(requirement: Requirement, title: string, suite: () => void): void {
  if (requirement.available || process.env.CI) describe(title, suite)
  else describe.skip(`${title} [needs ${requirement.name}]`, suite)
}
