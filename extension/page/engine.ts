/** Where engines differ in what a page agent can do. The property is Firefox's own. */
export const IS_FIREFOX = 'mozInnerScreenX' in globalThis

/** In Firefox: the page's own globals, past the view that an extension's world has of them. */
export const pageWindow = (): Window & typeof globalThis =>
  (window as unknown as { wrappedJSObject: Window & typeof globalThis }).wrappedJSObject
