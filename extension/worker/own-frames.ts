/** Our hook stands between a page and the functions that it calls; a stack is to tell of the page alone. */
export const isHook = (script: string): boolean =>
  /^(?:chrome|moz)-extension:.*\/capture-hook\.js$/.test(script)
