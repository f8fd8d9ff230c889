import type { KernelParts } from '../../companion/kernel/kernel.ts'
import type { Operation } from '../../companion/kernel/operation.ts'
import type { AccessCheck } from '../../companion/ports/access.ts'

/** Ports that ask the judge, as the real ones do, and then do nothing. */
export function judgedPorts(op: Operation): Partial<KernelParts> {
  const file = { path: '/f', bytes: 0 }
  const files = (access: AccessCheck) => ({
    read: async (path: string) => {
      await access({ kind: 'read_file', path })
      return new Uint8Array(1)
    },
    write: async (path: string) => {
      await access({ kind: 'write_file', path })
      return file
    },
    close: async () => undefined,
  })
  return {
    catalogue: {
      get: id => (id === op.id ? op : null),
      list: () => [op],
      search: () => [],
      nearest: () => [],
      faults: () => [],
    },
    files: { open: ({ access }) => files(access) as never },
    process: {
      open: ({ access }) => ({
        run: async ({ commands }) => {
          for (const argv of commands) await access({ kind: 'execute', argv })
          return { stdout: new Uint8Array(), ended: [] }
        },
      }),
      environment: () => ({}),
    },
    http: {
      open: (_, site) =>
        ({
          request: async ({ url, method }: { url: string; method: string }) => {
            await site.access({ kind: 'network', url, method })
            return { status: 200, url, headers: {}, text: 'text', bytes: new Uint8Array() }
          },
        }) as never,
    },
  }
}
