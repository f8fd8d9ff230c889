import { z } from 'zod'
import type { Envelope, ErrorInfo, Evidence, Meta } from '../../../shared/envelope.ts'
import { ActResult, Snapshot } from '../../../shared/values.ts'

/**
 * An answer of a tool made for models, as text: what a page shows, or what an act brought about, and nothing that
 * the model knows already. Texts of pages stand in quotes there, so that none of them looks like ours.
 */
export function told(envelope: Envelope): string {
  const lines = envelope.ok
    ? [...dataLines(envelope.data), ...metaLines(envelope.meta), ...envelope.evidence.map(evidenceLine)]
    : [...errorLines(envelope.error), ...metaLines(envelope.meta), ...runLines(envelope.meta)]
  return lines.filter(line => line !== '').join('\n')
}

function dataLines(data: unknown): string[] {
  const act = ActResult.safeParse(data)
  if (act.success) return actLines(act.data)
  const shown = z.strictObject(Snapshot.shape).safeParse(data)
  return shown.success ? snapshotLines(shown.data) : [JSON.stringify(data)]
}

/** A page with a heading has said what it is. */
function snapshotLines({ text, url, title }: Snapshot): string[] {
  const isNamed = title === '' || /^ *heading "/m.test(text)
  return [text, `at ${isNamed ? '' : `${JSON.stringify(title)} `}${url}`]
}

function actLines(result: ActResult): string[] {
  const { verdict, effects, value, url, title, changes, dialogs, hand, note, tabs } = result
  const by = hand === 'cdp' ? " by the browser's own input" : ''
  const isElsewhere = effects.includes('navigation')
  return [
    `${verdict}${effects.length > 0 ? `: ${effects.join(', ')}` : ''}${by}`,
    value === null ? '' : `value: ${JSON.stringify(value)}`,
    changes ?? '',
    isElsewhere ? `at ${JSON.stringify(title)} ${url}` : '',
    dialogs === undefined ? '' : `dialogs: ${JSON.stringify(dialogs)}`,
    tabs === undefined ? '' : `tabs: ${JSON.stringify(tabs)}`,
    note === undefined ? '' : `note: ${note}`,
  ]
}

const evidenceLine = ({ kind, id }: Evidence): string => `evidence: ${kind} ${id}`

function errorLines({ code, message, suggestion, alternatives, details }: ErrorInfo): string[] {
  return [
    `${code}: ${message}`,
    suggestion,
    alternatives.length === 0 ? '' : `or: ${alternatives.join('; ')}`,
    Object.keys(details).length === 0 ? '' : `details: ${JSON.stringify(details)}`,
  ]
}

function metaLines({ truncated, notes = [], wrote }: Meta): string[] {
  return [
    truncated ?? '',
    ...notes.map(note => `note: ${note}`),
    wrote === true ? 'Something that may have changed the site had left before.' : '',
  ]
}

const runLines = ({ run_id }: Meta): string[] => [run_id === '' ? '' : `run ${run_id}`]
