import { z } from 'zod'
import { ActResult, DatePart, DialogPolicy, Hand, PageDialog, Point, StashedFile, Target } from './values.ts'
import { acting, inSession, method } from './wire-method.ts'

/** Without it the act is done by `auto`. */
const byHand = { hand: Hand.optional() }

/** The part of the wire that acts in a page. */
export const ACT_WIRE = {
  'page.click': method({
    doc: 'Click an element once it is visible, stable, enabled and not covered.',
    effect: 'write',
    acts: true,
    params: z.strictObject({
      ...acting,
      ...byHand,
      target: Target,
      count: z.number().int().min(1).max(3),
      button: z.enum(['left', 'middle', 'right']),
      modifiers: z.array(z.enum(['Alt', 'Control', 'Meta', 'Shift'])),
      position: z.object({ x: z.number(), y: z.number() }).nullable(),
    }),
    result: ActResult,
  }),
  'page.hover': method({
    doc: 'Move the pointer onto an element and see what the page shows then.',
    effect: 'write',
    params: z.strictObject({ ...inSession, ...byHand, target: Target }),
    result: ActResult,
  }),
  'page.focus': method({
    doc: 'Give the focus to an element.',
    effect: 'write',
    params: z.strictObject({ ...inSession, ...byHand, target: Target }),
    result: ActResult,
  }),
  'page.check': method({
    doc: 'Bring a checkbox, radio button or switch into a state; nothing happens when it is in it already.',
    effect: 'write',
    acts: true,
    params: z.strictObject({ ...acting, ...byHand, target: Target, checked: z.boolean() }),
    result: ActResult,
  }),
  'page.select': method({
    doc: 'Choose options of a native list, a listbox or a combobox, by label or value.',
    effect: 'write',
    acts: true,
    params: z.strictObject({ ...acting, ...byHand, target: Target, options: z.array(z.string()).min(1) }),
    result: ActResult,
  }),
  'page.scroll': method({
    doc: 'Scroll the page, or what is around an element, or bring the element into view.',
    effect: 'write',
    params: z.strictObject({
      ...inSession,
      ...byHand,
      target: Target.nullable(),
      direction: z.enum(['up', 'down', 'left', 'right', 'top', 'bottom']).nullable(),
      pages: z.number().positive(),
    }),
    result: ActResult,
  }),
  'page.type': method({
    doc: 'Put text into an editable element and read it back; `replace` clears it first.',
    effect: 'write',
    acts: true,
    params: z.strictObject({
      ...acting,
      ...byHand,
      target: Target.nullable(),
      text: z.string(),
      replace: z.boolean(),
      submit: z.boolean(),
      /** Key by key, for what acts on keys itself. */
      keys: z.boolean().optional(),
      part: DatePart.optional(),
    }),
    result: ActResult,
  }),
  'page.press': method({
    doc: 'Press a key or a combination such as Control+a.',
    effect: 'write',
    acts: true,
    params: z.strictObject({ ...acting, ...byHand, key: z.string().min(1), target: Target.nullable() }),
    result: ActResult,
  }),
  'page.drag': method({
    doc: 'Drag an element onto another one, or by some pixels.',
    effect: 'write',
    acts: true,
    params: z.strictObject({
      ...acting,
      ...byHand,
      target: Target,
      to: Target.nullable(),
      position: Point.nullable(),
      by: Point.nullable(),
      grab: Point.nullable(),
    }),
    result: ActResult,
  }),
  'page.stash': method({
    doc: "Take a piece of a file into the target's document, for an upload or a paste that follows.",
    effect: 'write',
    params: z.strictObject({
      ...inSession,
      target: Target.nullable(),
      id: z.string().max(64),
      at: z.number().int(),
      base64: z.string(),
    }),
    result: z.object({ bytes: z.number().int() }),
  }),
  'page.upload': method({
    doc: 'Give files that were stashed to a file field, to a drop zone, or to what opens a chooser.',
    effect: 'write',
    acts: true,
    params: z.strictObject({ ...acting, target: Target, files: z.array(StashedFile).min(1) }),
    result: ActResult,
  }),
  'page.paste': method({
    doc: "Paste text, HTML or stashed files, past the person's own clipboard.",
    effect: 'write',
    acts: true,
    params: z.strictObject({
      ...acting,
      target: Target.nullable(),
      text: z.string().nullable(),
      html: z.string().nullable(),
      files: z.array(StashedFile),
    }),
    result: ActResult,
  }),
  'page.print': method({
    doc: 'Print the page into a PDF.',
    effect: 'read',
    params: z.strictObject({
      ...inSession,
      landscape: z.boolean(),
      background: z.boolean(),
      scale: z.number(),
      /** Inches. */
      width: z.number(),
      height: z.number(),
      margin: z.number(),
      /** Such as `1-3, 5`; all when it is empty. */
      ranges: z.string(),
    }),
    result: z.object({ base64: z.string(), url: z.string(), title: z.string() }),
  }),
  'page.dialog': method({
    doc: 'Answer the dialog that is open, or say how those to come are answered in this session; tells which is open.',
    effect: 'write',
    acts: true,
    params: z.strictObject({
      ...inSession,
      accept: z.boolean().nullable(),
      text: z.string().nullable(),
      policy: DialogPolicy.nullable(),
    }),
    result: z.object({
      /** The one that was answered, or else the one that is open. */
      dialog: PageDialog.nullable(),
      /** Raised, and answered, while no act was under way, since this was last asked. */
      earlier: z.array(PageDialog),
      policy: DialogPolicy,
    }),
  }),
} as const
