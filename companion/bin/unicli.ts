#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../../shared/version.ts'

const argv = process.argv.slice(2)
// Asked by installers and shells over and over: nothing is loaded for it, not even the stream of stdout.
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) writeSync(1, `${VERSION}\n`)
else void run()

async function run(): Promise<void> {
  const { main } = await import('../client/main.ts')
  const entry = fileURLToPath(new URL('./companion.js', import.meta.url))
  await main({ argv, version: VERSION, entry, env: process.env })
}
