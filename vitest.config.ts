import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import packageJson from './package.json' with { type: 'json' }

interface Kind {
  include: string[]
  exclude?: string[]
  /** Of one test and of one hook, in seconds. Generous: two cores may be shared by several runs. */
  patience: number
  /** Kinds run one after the other, in this order; the files of one kind side by side where it says so. */
  order: number
  parallel: boolean
}

const kinds: Record<string, Kind> = {
  unit: {
    include: ['{shared,companion,extension}/**/*.test.{ts,tsx}'],
    patience: 20,
    order: 0,
    parallel: true,
  },
  laws: { include: ['tests/laws/**/*.test.ts'], patience: 60, order: 1, parallel: true },
  adapters: { include: ['tests/adapters/**/*.test.ts'], patience: 60, order: 2, parallel: true },
  integration: { include: ['tests/integration/**/*.test.ts'], patience: 120, order: 3, parallel: true },
  // Each in a browser of its own, with nothing but the page agent.
  'page-agent': {
    include: ['tests/e2e/page-agent/**/*.test.ts'],
    exclude: ['**/manners.test.ts', '**/hidden-tab.test.ts'],
    patience: 180,
    order: 4,
    parallel: true,
  },
  e2e: {
    include: ['tests/e2e/*.test.ts', 'tests/e2e/page-agent/{manners,hidden-tab}.test.ts'],
    patience: 180,
    order: 5,
    parallel: false,
  },
}

const project = ([name, kind]: [string, Kind]): TestProjectInlineConfiguration => ({
  define: { __VERSION__: JSON.stringify(packageJson.version) },
  test: {
    name,
    include: kind.include,
    exclude: kind.exclude ?? [],
    testTimeout: kind.patience * 1000,
    hookTimeout: kind.patience * 1000,
    pool: 'forks',
    maxWorkers: kind.parallel ? availableParallelism() : 1,
    sequence: { groupOrder: kind.order },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})

export default defineConfig({
  test: {
    projects: Object.entries(kinds).map(project),
    // Once for the whole run, not once for each project.
    globalSetup: ['tests/support/run-setup.ts', 'tests/support/run-home.ts'],
    reporters: ['default'],
  },
})
