import { Failure } from '../../../../shared/failures.ts'
import type { CliCommand } from '../command.ts'
import { SCRIPTS, SHELLS } from '../completion/scripts.ts'

export const completion: CliCommand = {
  name: 'completion',
  doc: 'Print the script that completes unicli in your shell.',
  operands: [{ name: 'shell', doc: SHELLS.join(', '), required: true, choices: SHELLS }],
  options: [],
  examples: [
    'source <(unicli completion bash)    # in ~/.bashrc',
    'source <(unicli completion zsh)     # in ~/.zshrc, after compinit',
    'unicli completion fish > ~/.config/fish/completions/unicli.fish',
  ],
  run({ parsed }) {
    const shell = SHELLS.find(each => each === parsed.operands[0])
    if (shell === undefined)
      throw new Failure('usage', {
        problem: `There is no completion for "${parsed.operands[0]}".`,
        hint: `It exists for ${SHELLS.join(', ')}.`,
      })
    return { data: SCRIPTS[shell], text: SCRIPTS[shell], raw: true }
  },
}
