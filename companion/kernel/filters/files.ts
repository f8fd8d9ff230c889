import { type Filter, textOf } from './filter.ts'

/** File systems take 255 bytes; a suffix such as " (2).part" shall still fit. */
const MAX_NAME_BYTES = 200
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i

export const FILE_FILTERS: Readonly<Record<string, Filter>> = {
  sanitize: {
    doc: 'As the name of a file that every system takes.',
    params: [],
    example: ["'a/b: c?.txt' | sanitize", 'a_b_ c_.txt'],
    aliases: ['filename', 'safe_name'],
    run: (v, _, fuel) => safeName(textOf(v, fuel, 10)),
  },
  ext: {
    doc: 'The ending of a file name or address, without its dot.',
    params: [],
    example: ["'https://a.org/photo.JPG?w=1' | ext", 'jpg'],
    aliases: ['extension'],
    run: (v, _, fuel) => splitName(nameOf(textOf(v, fuel, 2))).ending,
  },
  basename: {
    doc: 'The last part of a path or address; the second argument says to leave its ending out.',
    params: ['without_ending = false'],
    example: ["'/a/b/c.txt' | basename", 'c.txt'],
    run: (v, [bare], fuel) => {
      const name = nameOf(textOf(v, fuel, 2))
      return bare === true ? splitName(name).stem : name
    },
  },
  dirname: {
    doc: 'The path or address without its last part.',
    params: [],
    example: ["'/a/b/c.txt' | dirname", '/a/b'],
    run: (v, _, fuel) => {
      const path = withoutQuery(textOf(v, fuel, 2))
      const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
      return at === -1 ? '' : path.slice(0, at) || '/'
    },
  },
}

const isAddress = (path: string): boolean => /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(path)
/** Only an address has a query: a # or ? may well be part of a file's name. */
const withoutQuery = (path: string): string => (isAddress(path) ? (path.split(/[?#]/, 1)[0] ?? '') : path)

function nameOf(path: string): string {
  const whole = withoutQuery(path)
  const parts = whole.split(/[/\\]/)
  // The host of an address is no file.
  return isAddress(whole) && parts.length <= 3 ? '' : (parts.findLast(part => part !== '') ?? '')
}

function splitName(name: string): { stem: string; ending: string } {
  const dot = name.lastIndexOf('.')
  if (dot <= 0 || !/^[\p{L}\p{N}]{1,12}$/u.test(name.slice(dot + 1))) return { stem: name, ending: '' }
  return { stem: name.slice(0, dot), ending: name.slice(dot + 1).toLowerCase() }
}

function safeName(value: string): string {
  const clean = value
    .normalize('NFC')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go.
    .replaceAll(/[\u0000-\u001f\u007f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '_')
    .slice(0, 1000)
  let start = 0
  let end = clean.length
  while (start < end && /[\s.]/.test(clean.charAt(start))) start += 1
  while (end > start && /[\s.]/.test(clean.charAt(end - 1))) end -= 1
  const name = clean.slice(start, end)
  if (name === '') return '_'
  return shortened(RESERVED.test(name) ? `_${name}` : name)
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const { stem, ending } = splitName(name)
  const suffix = ending === '' ? '' : name.slice(stem.length)
  const characters = [...stem]
  while (Buffer.byteLength(characters.join('')) + Buffer.byteLength(suffix) > MAX_NAME_BYTES) characters.pop()
  return `${characters.join('').trimEnd()}${suffix}`
}
