import { spawn } from 'node:child_process'
import { CLI, startProduct } from '../tests/support/product.ts'
import { row, sample } from './sampling.ts'

export const title = 'Starting the command line, beside Node itself (ratio: to node -e 0)'

const COUNT = 30

export async function measure() {
  const product = await startProduct()
  try {
    const { env } = product.env
    const node = await sample(COUNT, () => runs(['-e', '0'], env))
    const version = await sample(COUNT, () => runs([CLI, '--version'], env))
    const list = await sample(COUNT, () => runs([CLI, 'list', '-f', 'json'], env))
    const search = await sample(COUNT, () => runs([CLI, 'search', 'hacker news', '-f', 'json'], env))
    return [
      row('node -e 0', node, node),
      row('unicli --version', version, node),
      row('unicli list (companion answers)', list, node),
      row('unicli search (companion answers)', search, node),
    ]
  } finally {
    await product.close()
  }
}

function runs(args: readonly string[], env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    child.once('error', reject)
    child.once('exit', code => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))))
  })
}
