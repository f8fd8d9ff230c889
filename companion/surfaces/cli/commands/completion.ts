import { choice } from '../choice.ts'
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
    const shell = choice(parsed.operands[0] ?? '', SHELLS, 'completion')
    return { data: SCRIPTS[shell], text: SCRIPTS[shell], raw: true }
  },
}
