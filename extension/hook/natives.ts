/**
 * The page's own functions as they are at document_start, before any script of the page can replace them. What
 * the hook does later goes through these, so that a page neither sees it nor bends it.
 */
type Callable = (...args: never[]) => unknown
type Method = (this: never, ...args: never[]) => unknown

const { apply } = Reflect

/** `uncurry(A.prototype.f)(a, x)` is `a.f(x)` without looking anything up on `a` or its prototypes. */
export const uncurry =
  <M extends Method>(method: M) =>
  (self: ThisParameterType<M>, ...args: Parameters<M>): ReturnType<M> =>
    // Reflect.apply is typed for functions of any `this`; ThisParameterType has been matched above.
    apply(method as unknown as Callable, self, args) as ReturnType<M>

/** The getter of an accessor property, uncurried; its type is what TypeScript knows of the property. */
export function getter<T extends object, K extends keyof T & string>(owner: T, name: K): (self: T) => T[K] {
  const get = Object.getOwnPropertyDescriptor(owner, name)?.get
  if (get === undefined) return self => self[name]
  return self => apply(get, self, []) as T[K]
}

export const natives = {
  addEventListener: uncurry(EventTarget.prototype.addEventListener),
  cloneRequest: uncurry(Request.prototype.clone),
  cloneResponse: uncurry(Response.prototype.clone),
  requestText: uncurry(Request.prototype.text),
  blobText: uncurry(Blob.prototype.text),
  eachHeader: uncurry(Headers.prototype.forEach),
  getReader: uncurry(ReadableStream.prototype.getReader) as (
    stream: ReadableStream<Uint8Array>,
  ) => ReadableStreamDefaultReader<Uint8Array>,
  read: uncurry(ReadableStreamDefaultReader.prototype.read),
  cancel: uncurry(ReadableStreamDefaultReader.prototype.cancel),
  objectString: uncurry(Object.prototype.toString),
  Error: window.Error,
  Headers: window.Headers,
  Request: window.Request,
  TextDecoder: window.TextDecoder,
  URL: window.URL,
  stringify: JSON.stringify,
  now: Date.now,
  warn: console.debug.bind(console),
}
