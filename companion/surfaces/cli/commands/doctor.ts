import type { Hop } from '../../../../shared/status.ts'
import type { Answer } from '../answer.ts'
import type { CliCommand } from '../command.ts'
import { printable, widthOf } from '../output/text.ts'
import type { Paint } from '../terminal.ts'

export const doctor: CliCommand = {
  name: 'doctor',
  doc: 'Check every hop from here to the browser and say how to mend what is broken.',
  operands: [],
  options: [],
  examples: ['unicli doctor', 'unicli doctor -f json'],
  async run({ parts, client, out }) {
    return doctorAnswer(await parts.diagnose(client), out.paint)
  },
}

export const doctorAnswer = (hops: readonly Hop[], paint: Paint): Answer => ({
  data: hops.map(hop => ({ ...hop })),
  columns: ['hop', 'ok', 'cause', 'detail', 'mend'],
  text: hopsText(hops, paint),
})

export function hopsText(hops: readonly Hop[], paint: Paint): string {
  const widest = Math.max(0, ...hops.map(({ hop }) => widthOf(hop)))
  return hops
    .map(({ hop, ok, cause, detail, mend }) => {
      const mark = ok ? paint.green('ok ') : paint.red('BAD')
      const name = hop + ' '.repeat(widest - widthOf(hop))
      const cure = mend === null ? '' : `  → ${paint.bold(mend)}`
      return `${mark} ${name}  ${printable(detail)} ${paint.dim(`[${cause}]`)}${cure}\n`
    })
    .join('')
}
