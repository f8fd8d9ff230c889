import type { HeaderList } from './traffic.ts'

/** The first header of that name, which is written small in lists of headers; empty where there is none. */
export const headerOf = (headers: HeaderList, name: string): string =>
  headers.find(([each]) => each === name)?.[1] ?? ''

/** Whether an answer with this status has no body, whatever its headers say (RFC 9110). */
export const isBodilessStatus = (status: number): boolean =>
  status === 204 || status === 205 || status === 304
