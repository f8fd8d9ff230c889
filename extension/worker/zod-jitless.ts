import { z } from 'zod'

/**
 * zod compiles object parsers with `new Function`, which the extension's policy forbids and reports. Entries
 * import this module before anything that builds a schema.
 */
z.config({ jitless: true })
