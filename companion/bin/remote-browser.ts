import { fileURLToPath } from 'node:url'
import { Failure } from '../../shared/failures.ts'
import { runRemoteBrowser } from '../remote/run.ts'

/** Started by the companion for a remote browser: `remote-browser.js <endpoint> <profile id> <profile name>`. */
const [endpoint = '', id = '', name = ''] = process.argv.slice(2)
void runRemoteBrowser({
  endpoint,
  profile: { id, name },
  extension: fileURLToPath(new URL('../extension/chrome', import.meta.url)),
  host: fileURLToPath(new URL('./host.cjs', import.meta.url)),
}).then(
  () => process.exit(0),
  error => {
    console.error(Failure.from(error).message)
    process.exit(1)
  },
)
