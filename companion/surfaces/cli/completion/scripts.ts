export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Each script hands the words so far to `unicli __complete`, the unfinished one last, and shows what comes back:
 * one value a line, a tab and its description behind it. What can be typed is known in one place alone.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  // Bash 3.2, which macOS has, knows no mapfile.
  bash: `# bash completion for unicli
_unicli() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(unicli __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _unicli unicli
`,
  zsh: `#compdef unicli
_unicli() {
  local -a found
  local line
  for line in "\${(@f)$(unicli __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then
    _describe unicli found
  else
    _files
  fi
}
if [[ $funcstack[1] == _unicli ]]; then
  _unicli "$@"
else
  compdef _unicli unicli
fi
`,
  fish: `# fish completion for unicli
function __unicli_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  unicli __complete -- $words[2..-1] "$current" 2>/dev/null
end
complete -c unicli -f -k -a '(__unicli_complete)'
`,
}
