import { z } from 'zod'
import { builtinOperation } from '../kernel/builtin.ts'
import type { Operation } from '../kernel/operation.ts'
import { exportState, forgetState, importState, type StorageStateParts } from './storage-state.ts'

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
  .describe('under which it is kept, encrypted')
const file = z.string().min(1).describe("Playwright's JSON in a granted folder, not encrypted")
const origins = z.array(z.url()).min(1).max(20)
const columns = ['name', 'file', 'encrypted', 'cookies', 'local', 'session', 'notes']

/** `browser.storage_state_…`: a login taken from one browser profile to another. Values are in no answer. */
export const storageStateOperations = (parts: StorageStateParts): Operation[] => [
  builtinOperation({
    id: 'browser.storage_state_export',
    doc: 'Keep the cookies and storage of named origins, encrypted under a name, to import them into another profile.',
    args: z.strictObject({ origins, name: name.optional(), file: file.optional() }),
    positional: ['name'],
    effect: 'write',
    // Whoever has it is the person, for these sites.
    risk: 'account',
    needs: ['browser', 'files'],
    example: { name: 'work', origins: ['https://example.com'] },
    columns,
    aliases: ['save login', 'storage state', 'cookies', 'playwright', '导出登录', '保存会话'],
    run: (args, call) => exportState(args, parts, call),
  }),
  builtinOperation({
    id: 'browser.storage_state_import',
    doc: 'Put a storage state that was exported, or one of Playwright, into the browser profile that the call names.',
    args: z.strictObject({
      name: name.optional(),
      file: file.optional(),
      origins: origins.optional().describe('only these; default: all'),
    }),
    positional: ['name'],
    effect: 'write',
    risk: 'account',
    needs: ['browser', 'files'],
    example: { name: 'work' },
    columns,
    aliases: ['load login', 'storage state', 'restore session', 'playwright', '导入登录', '恢复会话'],
    run: (args, call) => importState(args, parts, call),
  }),
  builtinOperation({
    id: 'browser.storage_state_forget',
    doc: 'Delete a storage state that is kept under a name.',
    args: z.strictObject({ name }),
    positional: ['name'],
    effect: 'destructive',
    example: { name: 'work' },
    columns: ['name', 'forgot'],
    aliases: ['delete login', 'storage state', '删除会话'],
    run: async ({ name }) => ({ name, forgot: await forgetState(name, parts) }),
  }),
]
