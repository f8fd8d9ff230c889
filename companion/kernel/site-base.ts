import type { ConfigPort } from '../ports/state.ts'
import type { Operation } from './operation.ts'

/** Where an adapter's site is, without a slash at the end: the person's own installation (`sites.<site>.base`)
 *  wins over the adapter's; empty for operations of no site. */
export function siteBase({ site, source }: Operation, config: ConfigPort): string {
  if (source.kind !== 'adapter') return ''
  return String(config.get(`sites.${site}.base`) ?? source.base ?? '').replace(/\/+$/, '')
}
