/**
 * Which test runs the steps that need a port: they are shown on the real software behind it, not on an example in the
 * catalogue. Step: test file, and after # what the step is called there when that is not its name.
 */
const BROWSER = 'tests/e2e/person-browser.test.ts'
const TABS = 'tests/e2e/sessions.test.ts'
const DIALOGS = 'tests/e2e/page-dialogs.test.ts'
const STATE = 'tests/e2e/page-state.test.ts'
const FETCH = 'tests/integration/steps-fetch.test.ts'
const STREAMS = 'tests/integration/steps-streams.test.ts'
const FILES = 'companion/steps/files.test.ts'
const MEDIA = 'tests/integration/media.test.ts'

export const RUNS_IN: Readonly<Record<string, string>> = {
  attach: TABS,
  ask: 'companion/steps/person.test.ts',
  back: STATE,
  bookmarks: STATE,
  check: BROWSER,
  clear: 'tests/e2e/widgets.test.ts',
  click: BROWSER,
  close: TABS,
  cookie_delete: STATE,
  cookie_set: STATE,
  cookies: 'tests/e2e/profiles.test.ts',
  dialog: DIALOGS,
  download: 'tests/integration/steps-download.test.ts',
  emulate: STATE,
  evaluate: BROWSER,
  exec: 'companion/steps/process.test.ts',
  fetch: FETCH,
  fetch_text: FETCH,
  find: 'tests/e2e/seeing.test.ts',
  focus: BROWSER,
  forward: STATE,
  graphql: 'tests/integration/steps-graphql.test.ts',
  history: STATE,
  hover: BROWSER,
  html: BROWSER,
  image_resize: MEDIA,
  indexeddb: STATE,
  info: STATE,
  intercept: 'tests/e2e/endurance.test.ts',
  markdown: STATE,
  mcp_call: 'tests/integration/steps-mcp.test.ts',
  media_convert: MEDIA,
  media_probe: MEDIA,
  metrics: STATE,
  navigate: 'tests/e2e/person.test.ts',
  notify: 'companion/steps/person.test.ts',
  oauth2_token: 'tests/integration/steps-oauth.test.ts',
  pipe: 'companion/steps/process.test.ts',
  press: BROWSER,
  rate_limit: STREAMS,
  read_file: FILES,
  reload: STATE,
  retry: 'companion/steps/recover.test.ts',
  screenshot: STATE,
  scroll: BROWSER,
  select_option: BROWSER,
  session_end: TABS,
  session_keep: TABS,
  sessions: TABS,
  snapshot: BROWSER,
  sse: STREAMS,
  storage: BROWSER,
  storage_remove: STATE,
  storage_set: STATE,
  tab_new: TABS,
  tab_select: TABS,
  tabs: TABS,
  type: BROWSER,
  unzip: 'companion/steps/unzip.test.ts',
  wait: BROWSER,
  websocket: STREAMS,
  write_file: FILES,
  write_temp: FILES,
}
