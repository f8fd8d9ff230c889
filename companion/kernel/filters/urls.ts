import { text } from '../expression-values.ts'
import { type Filter, quoted, recordOf, textOf } from './filter.ts'

export const URL_FILTERS: Readonly<Record<string, Filter>> = {
  urlencode: {
    doc: 'For use as one part of an address.',
    params: [],
    example: ["'a b&c' | urlencode", 'a%20b%26c'],
    aliases: ['url_encode'],
    run: (v, _, fuel) => encodeURIComponent(textOf(v, fuel, 5).replaceAll(/\p{Surrogate}/gu, '\ufffd')),
  },
  urldecode: {
    doc: 'From a part of an address.',
    params: [],
    example: ["'a%20b' | urldecode", 'a b'],
    aliases: ['url_decode'],
    run: (v, _, fuel) => decoded(textOf(v, fuel, 5)),
  },
  url_part: {
    doc: 'A part of an address: protocol, host, hostname, port, origin, path, query, hash, or its last segment.',
    params: ['name'],
    example: ["'https://a.org/x/y?z=1' | url_part('path')", '/x/y'],
    run: (v, [name], fuel) => {
      const part = URL_PARTS[text(name)]
      if (part === undefined)
        throw new Error(`there is no part "${quoted(name)}"; there is ${Object.keys(URL_PARTS).join(', ')}`)
      return part(urlOf(textOf(v, fuel, 5)))
    },
  },
  url_param: {
    doc: 'The value of a parameter in the query of an address, or null.',
    params: ['name'],
    example: ["'https://a.org/?q=a+b' | url_param('q')", 'a b'],
    run: (v, [name], fuel) => urlOf(textOf(v, fuel, 5)).searchParams.get(text(name)),
  },
  url_params: {
    doc: 'The query of an address as an object; a parameter that repeats becomes a list.',
    params: [],
    example: ["'https://a.org/?a=1&b=2' | url_params", { a: '1', b: '2' }],
    run: (v, _, fuel) => {
      const { searchParams } = urlOf(textOf(v, fuel, 10))
      const groups = new Map<string, string[]>()
      for (const [name, value] of searchParams) groups.set(name, [...(groups.get(name) ?? []), value])
      return Object.fromEntries([...groups].map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
    },
  },
  with_params: {
    doc: 'The address with these parameters in its query; null takes one out.',
    params: ['parameters'],
    example: ["'https://a.org/?a=1' | with_params({ b: 2 })", 'https://a.org/?a=1&b=2'],
    run: (v, [parameters], fuel) => {
      const url = urlOf(textOf(v, fuel, 5))
      for (const [name, value] of Object.entries(recordOf(parameters, fuel))) {
        fuel.spend(url.href.length)
        if (value === null || value === undefined) url.searchParams.delete(name)
        else url.searchParams.set(name, textOf(value, fuel, 5))
      }
      return url.href
    },
  },
  to_query: {
    doc: 'An object as a query without its question mark; null is left out.',
    params: [],
    example: ["{ q: 'a b', n: 1 } | to_query", 'q=a+b&n=1'],
    run: (v, _, fuel) => {
      const pairs = Object.entries(recordOf(v, fuel)).flatMap(([name, value]) =>
        [value].flat().map(each => [name, each] as const),
      )
      fuel.spend(pairs.length * 20)
      const given = pairs.filter(([, value]) => value !== null && value !== undefined)
      return new URLSearchParams(
        given.map(([name, value]): [string, string] => [name, textOf(value, fuel, 5)]),
      ).toString()
    },
  },
  url_join: {
    doc: 'An address seen from this one, as a link in a page is.',
    params: ['link'],
    example: ["'https://a.org/x/y' | url_join('../z')", 'https://a.org/z'],
    aliases: ['resolve_url'],
    run: (v, [link], fuel) => {
      const [base, to] = [textOf(v, fuel, 5), textOf(link, fuel, 5)]
      if (!URL.canParse(to, base)) throw new Error(`"${quoted(to)}" on "${quoted(base)}" is no address`)
      return new URL(to, base).href
    },
  },
}

function urlOf(address: string): URL {
  if (!URL.canParse(address)) throw new Error(`"${quoted(address)}" is not a whole address`)
  return new URL(address)
}

const URL_PARTS: Readonly<Record<string, (url: URL) => string>> = Object.assign(Object.create(null), {
  protocol: (url: URL) => url.protocol.replace(/:$/, ''),
  host: (url: URL) => url.host,
  hostname: (url: URL) => url.hostname,
  port: (url: URL) => url.port,
  origin: (url: URL) => url.origin,
  path: (url: URL) => url.pathname,
  query: (url: URL) => url.search.slice(1),
  hash: (url: URL) => url.hash.slice(1),
  last: (url: URL) => decoded(url.pathname.split('/').findLast(Boolean) ?? ''),
})

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw new Error(`"${quoted(value)}" is no part of an address: a % stands alone in it`)
  }
}
