import { describe, expect, it } from 'vitest'
import { applyEdits, patchOf } from './edits.ts'

const TEXT = `# Of mine.
site: demo
args:
  limit: { type: integer, default: 3 } # rows
pipeline:
  # First the list.
  - fetch: { url: "/list", query: { n: "\${{ args.limit }}" } }
  - select: data.items # all of them
  - map:
      name: \${{ item.name }}
      'odd name': '\${{ item.odd }}'
`

describe('edits of an adapter', () => {
  it('change a value and leave everything else as it is', () => {
    const path = ['pipeline', 1, 'select']
    expect(applyEdits(TEXT, [{ kind: 'set', path, value: 'payload.rows' }])).toBe(
      TEXT.replace('data.items', 'payload.rows'),
    )
  })

  it('keep quotes where they stood, and quote what could not stand without', () => {
    const url = { kind: 'set', path: ['pipeline', 0, 'fetch', 'url'], value: '/v2/list' } as const
    const odd = { kind: 'set', path: ['pipeline', 2, 'map', 'odd name'], value: '${{ item.even }}' } as const
    const name = { kind: 'set', path: ['pipeline', 2, 'map', 'name'], value: 'a: #b' } as const
    expect(applyEdits(TEXT, [url, odd, name])).toBe(
      TEXT.replace('"/list"', '"/v2/list"')
        .replace('item.odd', 'item.even')
        .replace('${{ item.name }}', "'a: #b'"),
    )
  })

  it('put a step in before another', () => {
    const edits = [{ kind: 'insert', path: ['pipeline', 2], step: 'select', value: '$.rows.*' }] as const
    expect(applyEdits(TEXT, edits)).toBe(TEXT.replace('  - map:', '  - select: $.rows.*\n  - map:'))
  })

  it('put a step into a list on one line', () => {
    const edits = [{ kind: 'insert', path: ['pipeline', 0], step: 'select', value: 'rows' }] as const
    expect(applyEdits('pipeline: [{ limit: 3 }]\n', edits)).toBe(
      'pipeline: [ select: rows, { limit: 3 } ]\n'.replace('[ select: rows', '[ { select: rows }'),
    )
  })

  it('are shown as a patch', () => {
    const after = TEXT.replace('data.items', 'rows')
    expect(patchOf('demo/list.yaml', TEXT, after)).toContain(
      '-  - select: data.items # all of them\n+  - select: rows # all of them',
    )
  })
})
