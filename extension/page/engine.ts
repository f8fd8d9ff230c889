/** Where engines differ in what a page agent can do. The property is Firefox's own. */
export const IS_FIREFOX = 'mozInnerScreenX' in globalThis
