import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Sends each frame back as `{ echo, argv, home }`: what was said, by whom, and which UNICLI_HOME the host sees. */
const PROGRAM = `
let rest = Buffer.alloc(0)
process.stdin.on('data', chunk => {
  rest = Buffer.concat([rest, chunk])
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE(0)) {
    const end = 4 + rest.readUInt32LE(0)
    const echo = JSON.parse(rest.subarray(4, end).toString())
    rest = rest.subarray(end)
    const body = Buffer.from(JSON.stringify({ echo, argv: process.argv.slice(2), home: process.env.UNICLI_HOME }))
    const head = Buffer.alloc(4)
    head.writeUInt32LE(body.length)
    process.stdout.write(Buffer.concat([head, body]))
  }
})
`

/** Writes a native messaging host for the rigs' own tests into the folder; resolves with its executable's path. */
export async function writeEchoHost(folder: string): Promise<string> {
  const program = join(folder, 'echo-host.mjs')
  const executable = join(folder, 'echo-host')
  await writeFile(program, PROGRAM)
  await writeFile(executable, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  await chmod(executable, 0o755)
  return executable
}
