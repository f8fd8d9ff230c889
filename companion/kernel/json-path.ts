import { JSONPathEnvironment } from 'json-p3'
import { compilePattern } from './pattern.ts'

/** JSONPath (RFC 9535), for steps and for what callers ask of an answer. */
export const jsonPaths = new JSONPathEnvironment()

/** The standard functions backtrack in the engine of JavaScript; one hostile pattern would stop the companion. */
for (const [name, how] of [
  ['match', 'fits'],
  ['search', 'test'],
] as const) {
  const standard = jsonPaths.functionRegister.get(name)
  if (standard === undefined) throw new Error(`json-p3 has no function ${name}`)
  jsonPaths.functionRegister.set(name, {
    argTypes: standard.argTypes,
    returnType: standard.returnType,
    call: (text: unknown, pattern: unknown) =>
      typeof text === 'string' && typeof pattern === 'string' && holds(how, text, pattern),
  })
}

function holds(how: 'fits' | 'test', text: string, pattern: string): boolean {
  try {
    return compilePattern(pattern, 'u')[how](text)
  } catch {
    // RFC 9535: a pattern that is none matches nothing.
    return false
  }
}
