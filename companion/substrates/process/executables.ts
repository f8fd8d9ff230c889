import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { Failure } from '../../../shared/failures.ts'

const SUFFIXES = process.platform === 'win32' ? ['.exe', '.com'] : ['']

/** The absolute path of a program, by PATH or as given. Fails with unsupported. */
export async function executablePath(name: string): Promise<string> {
  const places = isAbsolute(name)
    ? [name]
    : (process.env.PATH ?? '')
        .split(delimiter)
        .filter(isAbsolute)
        .flatMap(folder => SUFFIXES.map(suffix => join(folder, `${name}${suffix}`)))
  for (const place of places) if (await isExecutable(place)) return place
  throw new Failure('unsupported', {
    what: `Running ${name}`,
    where: 'this computer: there is no such program on the PATH',
    hint: installHint(name),
  })
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    // Whatever the reason: it is not one that can be run.
    return false
  }
}

/** Where a program comes in a package of another name. */
const PACKAGES: Readonly<Record<string, string>> = { ffprobe: 'ffmpeg', pdftotext: 'poppler-utils' }

function installHint(program: string): string {
  const name = PACKAGES[program] ?? program
  if (process.platform === 'darwin') return `Install it, such as with "brew install ${name}".`
  if (process.platform === 'win32') return `Install it, such as with "winget install ${name}".`
  return `Install it, such as with "sudo apt-get install ${name}".`
}
