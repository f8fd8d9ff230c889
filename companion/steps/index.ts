import type { AnyStep } from '../kernel/step.ts'
import * as acts from './acts.ts'
import * as articles from './articles.ts'
import * as browserFiles from './browser-files.ts'
import * as console from './console.ts'
import * as dates from './dates.ts'
import * as dialogs from './dialogs.ts'
import * as documents from './documents.ts'
import * as download from './download.ts'
import * as encode from './encode.ts'
import * as eventStream from './event-stream.ts'
import * as extract from './extract.ts'
import * as fetch from './fetch.ts'
import * as files from './files.ts'
import * as find from './find.ts'
import * as flow from './flow.ts'
import * as graphql from './graphql.ts'
import * as intercept from './intercept.ts'
import * as lists from './lists.ts'
import * as markdown from './markdown.ts'
import * as mcpCall from './mcp-call.ts'
import * as media from './media.ts'
import * as moves from './moves.ts'
import * as network from './network.ts'
import * as oauth from './oauth.ts'
import * as page from './page.ts'
import * as parse from './parse.ts'
import * as person from './person.ts'
import * as process from './process.ts'
import * as rate from './rate.ts'
import * as recover from './recover.ts'
import * as routes from './routes.ts'
import * as rows from './rows.ts'
import * as screenshot from './screenshot.ts'
import * as sessions from './sessions.ts'
import * as shape from './shape.ts'
import * as stores from './stores.ts'
import * as surroundings from './surroundings.ts'
import * as tables from './tables.ts'
import * as tabs from './tabs.ts'
import * as texts from './texts.ts'
import * as unzip from './unzip.ts'
import * as uploads from './uploads.ts'
import * as websocket from './websocket.ts'
import * as xml from './xml.ts'

const families: readonly Record<string, unknown>[] = [
  fetch,
  download,
  eventStream,
  websocket,
  graphql,
  mcpCall,
  oauth,
  rate,
  rows,
  lists,
  shape,
  texts,
  parse,
  tables,
  xml,
  articles,
  documents,
  encode,
  dates,
  flow,
  recover,
  person,
  files,
  unzip,
  process,
  media,
  extract,
  page,
  find,
  tabs,
  sessions,
  acts,
  dialogs,
  screenshot,
  markdown,
  moves,
  stores,
  surroundings,
  browserFiles,
  uploads,
  intercept,
  network,
  routes,
  console,
]

/** Every step by name and by alias. A name twice is a fault of ours and stops the start. */
export const STEPS: ReadonlyMap<string, AnyStep> = index(
  families.flatMap(family => Object.values(family).filter(isStep)),
)

function isStep(value: unknown): value is AnyStep {
  return typeof value === 'object' && value !== null && 'schema' in value && 'run' in value
}

function index(steps: readonly AnyStep[]): ReadonlyMap<string, AnyStep> {
  const byName = new Map<string, AnyStep>()
  for (const step of steps)
    for (const name of [step.name, ...(step.aliases ?? [])]) {
      if (byName.has(name)) throw new Error(`two steps are called ${name}`)
      byName.set(name, step)
    }
  return byName
}
