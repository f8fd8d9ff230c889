import { type Document, isMap, isScalar, isSeq, type Node, type Pair, Scalar, type YAMLMap } from 'yaml'

/** Changes of a YAML document that leave comments and order as they are. */
export type YamlMap = YAMLMap<unknown, unknown>
type PairOf = Pair<unknown, unknown>

export const keyOf = ({ key }: PairOf): string => String(isScalar(key) ? key.value : key)

export const pairAt = (map: YamlMap, key: string): PairOf | undefined =>
  map.items.find(pair => keyOf(pair) === key)

export function rename(map: YamlMap, from: string, to: string): boolean {
  const pair = pairAt(map, from)
  if (pair === undefined) return false
  if (isScalar(pair.key)) pair.key.value = to
  else pair.key = new Scalar(to)
  return true
}

/** The plain value at a key; undefined when there is none. */
export const valueAt = (map: YamlMap, key: string, document: Document): unknown => {
  const value = pairAt(map, key)?.value
  return value === undefined ? undefined : plain(value, document)
}

export const plain = (node: unknown, document: Document): unknown =>
  typeof node === 'object' && node !== null && 'toJS' in node ? (node as Node).toJS(document) : node

/** Sets a key where it is, or at the end. */
export function put(map: YamlMap, key: string, value: unknown, document: Document): void {
  const made = isNodeLike(value) ? value : document.createNode(value)
  const pair = pairAt(map, key)
  if (pair === undefined) map.items.push(document.createPair(key, made))
  else pair.value = made
}

/** Takes a key out and gives its plain value. */
export function take(map: YamlMap, key: string, document: Document): unknown {
  const value = valueAt(map, key, document)
  map.delete(key)
  return value
}

const isNodeLike = (value: unknown): boolean => isMap(value) || isSeq(value) || isScalar(value)
