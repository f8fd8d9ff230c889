import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import { nearestName } from '../kernel/nearest.ts'
import { NAME } from './adapter-schema.ts'

/** Where adapters come from, from the weakest to the strongest; folders are absolute. */
export interface AdapterLayers {
  packaged: string
  overlay: string
  extra: () => readonly string[]
}

export interface LayeredFile {
  layer: 'packaged' | 'own' | 'extra'
  file: string
}

/** Every file of one command, from the weakest to the strongest. */
export function filesOf(layers: AdapterLayers, id: AdapterId): LayeredFile[] {
  const places: readonly (readonly [LayeredFile['layer'], string])[] = [
    ['packaged', layers.packaged],
    ['own', layers.overlay],
    ...layers.extra().map(folder => ['extra', folder] as const),
  ]
  return places
    .map(([layer, folder]) => ({ layer, file: fileIn(folder, id) }))
    .filter(({ file }) => existsSync(file))
}

export interface AdapterId {
  site: string
  command: string
}

export const fileIn = (folder: string, { site, command }: AdapterId): string =>
  join(folder, site, `${command}.yaml`)

/** Fails with usage for what can be no name of a site and a command: it would also be a path. */
export function adapterId(site: string, command: string): AdapterId {
  for (const name of [site, command])
    if (!NAME.test(name))
      throw new Failure('usage', {
        problem: `"${name}" is no name: it must match [a-z0-9][a-z0-9_-]*.`,
        hint: 'For example: unicli adapter new example search',
      })
  return { site, command }
}

/** The failure for an adapter that a layer does not have. */
export const noAdapter = ({ site, command }: AdapterId, known: readonly string[], where: string): Failure => {
  const id = `${site}.${command}`
  const near = nearestName(id, known)
  return new Failure('not_found', {
    what: `${where} ${id}`,
    hint:
      near === null || near === id
        ? 'Run "unicli adapter list" for those that there are.'
        : `Did you mean ${near}?`,
  })
}
