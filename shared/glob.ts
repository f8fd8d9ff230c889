/** The source of a regular expression for a text in which `*` stands for anything, and all else for itself. */
export const globSource = (glob: string): string =>
  glob
    .split(/\*+/)
    .map(piece => piece.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*')
