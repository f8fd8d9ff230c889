import { VERSION } from '../../shared/version.ts'
import { startCompanion } from '../compose.ts'
import { runCompanion } from '../daemon/lifecycle.ts'
import { pathsOf } from '../state/paths.ts'

await runCompanion({ paths: pathsOf(), version: VERSION, start: startCompanion })
