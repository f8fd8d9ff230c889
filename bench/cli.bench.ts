import { spawn } from 'node:child_process'
import { CLI, type Product, startProduct } from '../tests/support/product.ts'
import { row, sample } from './sampling.ts'

export const title = 'Starting the command line, beside Node itself (ratio: to node -e 0)'

const COUNT = 30
/** A companion is started for each of them. */
const COLD = 8

export async function measure() {
  const product = await startProduct()
  try {
    const { env } = product.env
    const node = await sample(COUNT, () => runs(['-e', '0'], env))
    const version = await sample(COUNT, () => runs([CLI, '--version'], env))
    const list = await sample(COUNT, () => runs([CLI, 'list', '-f', 'json'], env))
    const cold = await coldStarts(product)
    const search = await sample(COUNT, () => runs([CLI, 'search', 'hacker news', '-f', 'json'], env))
    return [
      row('node -e 0', node, node),
      row('unicli --version', version, node),
      row('unicli list (companion answers)', list, node),
      row('unicli search (companion answers)', search, node),
      row('unicli list (no companion runs yet)', cold, node),
    ]
  } finally {
    await product.close()
  }
}

/** The first command after the companion was stopped starts it, and is answered by it. */
async function coldStarts(product: Product): Promise<number[]> {
  const times: number[] = []
  while (times.length < COLD) {
    await product.cli('daemon', 'stop')
    const start = performance.now()
    await runs([CLI, 'list', '-f', 'json'], product.env.env)
    times.push(performance.now() - start)
  }
  return times
}

function runs(args: readonly string[], env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    child.once('error', reject)
    child.once('exit', code => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))))
  })
}
