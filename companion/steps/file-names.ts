import { parse } from 'content-disposition'
import filenamify from 'filenamify'

/** What every file system takes: the limit is of bytes, and a CJK character has three. */
const MAX_BYTES = 200

/** The name that an answer gives its file, else the last part of its address, made fit to be one file's name. */
export function nameOf(url: string, disposition: string | undefined): string {
  const name = declaredName(disposition) ?? lastPart(url)
  return safeName(name.split(/[/\\]/).at(-1) ?? '')
}

/** Without hidden names, control characters, folders and what Windows forbids; `download` when nothing is left. */
export function safeName(name: string): string {
  const plain = name.replace(/^[.\s]+/, '').normalize('NFC')
  return plain === '' ? 'download' : shortened(filenamify(plain, { replacement: '_', maxLength: MAX_BYTES }))
}

function declaredName(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined
  try {
    const { filename } = parse(disposition).parameters
    return filename === undefined ? undefined : unmangled(filename)
  } catch (error) {
    // Sites write it in many wrong ways; then the address has to do.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Headers are read as Latin-1, but many sites write UTF-8 into them as it is. */
function unmangled(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of Latin-1
  if (!/[\x80-\xff]/.test(name) || /[^\x00-\xff]/.test(name)) return name
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(name, 'latin1'))
  } catch (error) {
    if (error instanceof TypeError) return name
    throw error
  }
}

function lastPart(url: string): string {
  const part = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return part
    throw error
  }
}

function shortened(name: string): string {
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : ''
  let stem = [...name.slice(0, name.length - ending.length)]
  while (Buffer.byteLength(stem.join('')) > MAX_BYTES - Buffer.byteLength(ending)) stem = stem.slice(0, -1)
  return stem.join('') + ending
}

/** `a.txt`, then `a (2).txt`: of files that one step gets, none takes the place of another. */
export function freeName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let free = name
  for (let count = 2; taken.has(free.toLowerCase()); count++) free = `${stem} (${count})${ending}`
  taken.add(free.toLowerCase())
  return free
}
