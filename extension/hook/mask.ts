import { uncurry } from './natives.ts'

type Callable = (...args: never[]) => unknown
interface Undo {
  owner: object
  name: string
  native: PropertyDescriptor
  proxy: unknown
}

const mapGet = uncurry(WeakMap.prototype.get)
const mapSet = uncurry(WeakMap.prototype.set)
const { defineProperty, getOwnPropertyDescriptor } = Object

/**
 * Replaces functions of the page by proxies that look native: same name, length, properties and source text.
 * (A function taken from another realm can still tell that it looks at a proxy.) `undo` takes them off again.
 */
export class Mask {
  readonly #natives = new WeakMap<object, Callable>()
  readonly #undos: Undo[] = []
  /** Turned off, a proxy that somebody still holds just calls the native function. */
  active = true

  constructor() {
    this.replace(Function.prototype, 'toString', {
      apply: (target, self, args) =>
        Reflect.apply(target, (this.#nativeOf(self) ?? self) as Callable, args as []),
    })
  }

  /** Puts a proxy in the place of `owner[name]`; the property keeps its flags. */
  replace<O extends object, K extends keyof O & string>(
    owner: O,
    name: K,
    handler: ProxyHandler<O[K] & Callable>,
  ): void {
    const descriptor = getOwnPropertyDescriptor(owner, name)
    if (descriptor === undefined || typeof descriptor.value !== 'function') return
    const native = descriptor.value as O[K] & Callable
    const proxy = new Proxy(native, handler)
    mapSet(this.#natives as WeakMap<object, unknown>, proxy, native)
    defineProperty(owner, name, { ...descriptor, value: proxy })
    this.#undos.push({ owner, name, native: descriptor, proxy })
  }

  /** Where `owner[name]` is the native function, puts the proxy that replaced it elsewhere. */
  alias(owner: object, name: string, native: unknown, proxy: unknown): void {
    const descriptor = getOwnPropertyDescriptor(owner, name)
    if (descriptor?.value !== native || descriptor === undefined) return
    defineProperty(owner, name, { ...descriptor, value: proxy })
    this.#undos.push({ owner, name, native: descriptor, proxy })
  }

  undo(): void {
    this.active = false
    // What the page has put over ours stays, and reaches the native function through it.
    for (const { owner, name, native, proxy } of this.#undos)
      if (getOwnPropertyDescriptor(owner, name)?.value === proxy) defineProperty(owner, name, native)
  }

  #nativeOf(self: unknown): unknown {
    return typeof self === 'function' ? mapGet(this.#natives as WeakMap<object, unknown>, self) : undefined
  }
}
