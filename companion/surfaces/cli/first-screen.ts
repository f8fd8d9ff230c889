/** What a newcomer sees first. The thin client prints it alone, so it must need nothing. */
export const firstScreen = (version: string): string => `unicli ${version}: your own browser as commands

  unicli setup                      link your browser, once
  unicli doctor                     see whether it is linked; what to do when it is not
  unicli search "read a wiki page"  find an operation by what you want to do
  unicli <site> <command> --help    its arguments, and an example to copy
  unicli mcp serve                  give all of it to an AI agent

Every command: unicli help commands. Every operation: unicli list.
`
