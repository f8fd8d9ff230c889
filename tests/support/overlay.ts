import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Product } from './product.ts'

/** Puts adapters, by command, into the person's own folder of a site and resolves when they can be called. */
export async function addAdapters(
  product: Product,
  site: string,
  adapters: Record<string, string>,
): Promise<void> {
  const { operations: before } = await product.status(() => true)
  const folder = join(product.env.unicliHome, 'adapters', site)
  await mkdir(folder, { recursive: true })
  for (const [command, body] of Object.entries(adapters))
    await writeFile(join(folder, `${command}.yaml`), `site: ${site}\nname: ${command}\n${body}`)
  const wanted = before + Object.keys(adapters).length
  await product.status(status => status.operations >= wanted || status.adapter_faults > 0)
}
