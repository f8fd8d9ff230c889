import type { Envelope, ErrorInfo, Meta, WrittenEnvelope } from '../../shared/envelope.ts'

/**
 * The envelope as surfaces write it: keys of meta and error that say nothing are left out, since every one of them
 * costs a model tokens. What is missing reads as null, or as empty: `Envelope.parse` gives it back.
 */
export function written(envelope: Envelope): WrittenEnvelope {
  const meta = metaOf(envelope)
  if (envelope.ok) return { ...envelope, meta }
  return { ...envelope, meta, error: said(envelope.error) as ErrorInfo }
}

function metaOf({ ok, data, meta }: Envelope): Meta {
  const { columns, run_id, ...rest } = meta
  const told = said(rest) as Meta
  return {
    ...told,
    ...(run_id === '' ? {} : { run_id }),
    // Rows that hold the columns, in this order, name them already.
    ...(columns === undefined || (ok && namesOf(data) === columns.join()) ? {} : { columns }),
  }
}

const said = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => !isSilent(value)))

/** Null, an empty list and an empty record. */
const isSilent = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

function namesOf(data: unknown): string | null {
  const row: unknown = Array.isArray(data) ? data[0] : data
  return typeof row === 'object' && row !== null ? Object.keys(row).join() : null
}
