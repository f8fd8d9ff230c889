import { z } from 'zod'
import { defineStep } from '../kernel/step.ts'

export const notify = defineStep({
  name: 'notify',
  doc: 'Tell the person something, on every surface that follows the run and as a notification of a linked browser.',
  needs: ['person'],
  effect: 'read',
  schema: z.strictObject({
    text: z.string().min(1).max(1000),
    title: z.string().min(1).max(100).default('Note'),
  }),
  example: { text: '${{ data | length }} new messages' },
  run: async ({ person, data }, { title, text }) => {
    person.notify({ title, text })
    return data
  },
})

export const ask = defineStep({
  name: 'ask',
  doc: 'Ask the person a question and wait for the answer, at the terminal, in the browser or wherever approvals go.',
  needs: ['person'],
  effect: 'read',
  schema: z.strictObject({
    question: z.string().min(1).max(2000),
    choices: z
      .array(z.string().min(1).max(200))
      .min(2)
      .max(20)
      .optional()
      .describe('answers to choose from; without them any text is one'),
  }),
  example: { question: 'Which of the two accounts?', choices: ['work', 'home'] },
  run: async ({ person }, { question, choices = [] }) => person.ask({ text: question, choices }),
})
