import { z } from 'zod'
import { DialogPolicy, type PageDialog } from '../../shared/values.ts'
import { defineStep } from '../kernel/step.ts'

/** An option of what may make a page raise a dialog. */
export const dialogs = DialogPolicy.optional().describe(
  'how a dialog that the page raises is answered; default: as the session says',
)

const EXCERPT_CHARS = 200

/** What a page asked, in words for the reason of a failure; empty when it asked nothing. */
export const saidBy = (raised: readonly PageDialog[] = []): string =>
  raised.map(({ kind, message, answer }) => `; its ${kind} ${quoted(message)} was ${answer}`).join('')

const quoted = (message: string | null): string =>
  message === null ? 'that nobody saw' : `"${[...message].slice(0, EXCERPT_CHARS).join('')}"`

export const dialog = defineStep({
  name: 'dialog',
  doc: 'Answer the alert, confirm, prompt or leave-page question that is open, or set how the session answers those to come.',
  needs: ['browser'],
  effect: 'write',
  site: 'browser',
  schema: z.strictObject({
    accept: z.boolean().optional().describe('OK or Cancel; without it the open dialog is only told'),
    text: z.string().max(10_000).optional().describe('what a prompt is answered; implies accept'),
    policy: DialogPolicy.optional().describe(
      'auto: OK to alerts, no to the rest; ask: leave open for this operation',
    ),
  }),
  example: { accept: true },
  run: async (ctx, { accept, text, policy }) =>
    ctx.browser.call(
      'page.dialog',
      { accept: accept ?? (text === undefined ? null : true), text: text ?? null, policy: policy ?? null },
      ctx,
    ),
})
