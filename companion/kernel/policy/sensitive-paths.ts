import type { PlacesPort } from '../../ports/policy.ts'

/**
 * What no operation may read or write, whatever the policy allows: keys, passwords, sessions of the person, and our
 * own state. Each is the end of a folder's or file's path, wherever it lies, so that other people's homes count too.
 */
const SECRETS: readonly string[] = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker/config.json', '.password-store', '.pki'],
  ...['.config/gcloud', '.config/gh', '.config/hub', '.config/op', '.config/rclone', '.config/doctl'],
  ...['.config/git/credentials', '.config/keepassxc', '.config/containers/auth.json', '.vault-token'],
  ...['.npmrc', '.yarnrc.yml', '.pypirc', '.netrc', '_netrc', '.wgetrc', '.curlrc', '.pgpass', '.my.cnf'],
  ...['.git-credentials', '.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials'],
  ...[
    '.terraform.d/credentials.tfrc.json',
    '.m2/settings.xml',
    '.gradle/gradle.properties',
    '.mysql_history',
  ],
  ...['.bash_history', '.zsh_history', '.psql_history', '.node_repl_history', '.python_history'],
  // browsers
  ...['.mozilla', '.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.config/vivaldi'],
  ...['.config/microsoft-edge', '.config/opera', 'snap/firefox', 'snap/chromium', '.thunderbird'],
  ...['.var/app/org.mozilla.firefox', '.var/app/com.google.Chrome', '.var/app/org.chromium.Chromium'],
  ...['Library/Application Support/Google/Chrome', 'Library/Application Support/Chromium'],
  ...['Library/Application Support/Firefox', 'Library/Application Support/BraveSoftware'],
  ...['Library/Application Support/Microsoft Edge', 'Library/Application Support/Arc', 'Library/Safari'],
  ...['Library/Cookies', 'Google/Chrome/User Data', 'Chromium/User Data', 'Microsoft/Edge/User Data'],
  ...['BraveSoftware/Brave-Browser/User Data', 'Mozilla/Firefox', 'NativeMessagingHosts'],
  // keychains
  ...['Library/Keychains', '.local/share/keyrings', '.local/share/kwalletd', '.gnome2/keyrings'],
  ...['Microsoft/Credentials', 'Microsoft/Protect', 'Microsoft/Vault', 'Windows/System32/config'],
  // the system
  ...['etc/shadow', 'etc/shadow-', 'etc/gshadow', 'etc/sudoers', 'etc/sudoers.d', 'etc/ssl/private'],
  ...['etc/master.passwd', 'private/var/db/dslocal', 'var/run/secrets', 'run/secrets', 'docker.sock'],
].map(end => end.toLowerCase())

/** Files that start programs: writing one would run code that nobody allowed. */
const STARTERS: readonly string[] = [
  ...[
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
  ],
  ...['.zlogin', '.config/fish', '.config/autostart', '.config/systemd', '.local/share/systemd', '.xinitrc'],
  ...['.xprofile', '.config/environment.d', '.pam_environment', '.gitconfig', '.config/git', '.git/hooks'],
  ...['Library/LaunchAgents', 'Library/LaunchDaemons', 'Start Menu/Programs/Startup', '.vimrc', '.inputrc'],
  ...['etc/cron.d', 'etc/crontab', 'var/spool/cron', 'etc/profile.d', 'etc/systemd', 'etc/ld.so.preload'],
].map(end => end.toLowerCase())

const ENV_FILE = /^\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?$/
const KEY_FILE =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.+\.(?:p12|pfx|keychain(?:-db)?|kdbx|jks|keystore))$/
/** Memory, environment and open files of programs. */
const PROCESS_FILE =
  /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|maps|fd|root|cwd|auxv|map_files)(?:\/|$)/

/** Why a path may not be touched, or null. `path` is absolute and normal. */
export function sensitiveReason(path: string, places: PlacesPort, isWrite: boolean): string | null {
  const plain = slashed(path).toLowerCase()
  const name = plain.slice(plain.lastIndexOf('/') + 1)
  if (isOwn(plain, slashed(places.own).toLowerCase())) return `${path} belongs to unicli itself`
  if (PROCESS_FILE.test(plain)) return `${path} shows what a program keeps to itself`
  if (ENV_FILE.test(name)) return `${path} holds settings that are secret`
  if (KEY_FILE.test(name)) return `${path} holds keys`
  if (SECRETS.some(end => holds(plain, end))) return `${path} holds keys, passwords or sessions`
  if (isWrite && STARTERS.some(end => holds(plain, end))) return `${path} starts programs`
  return null
}

/**
 * Every path that an argument of a program may mean: as a whole, after `=`, `@`, `:` or `,`, within quotes or a
 * script, as a file URL, with `~`, `$HOME` or `..`, relative to the person's home or to the folder it runs in.
 */
export async function pathsIn(argument: string, places: PlacesPort, cwd: string): Promise<string[]> {
  const spellings = new Set<string>()
  for (const text of [argument, unescaped(argument)])
    for (const piece of [...text.split(/[\s"'`=@,;|&<>(){}[\]]+/), ...text.split(/[:=@,]/), text])
      if (piece !== '') spellings.add(piece)
  const found = new Set<string>()
  for (const spelling of spellings)
    for (const path of absolute(spelling, places, cwd)) {
      found.add(path)
      found.add(await places.real(path))
    }
  return [...found]
}

/** `file:///a%20b` is a path like any other. */
function unescaped(text: string): string {
  const bare = text.replace(/file:(?:\/\/(?:localhost)?)?(?=\/)/gi, ' ').replace(/\\(?=[\s"'])/g, '')
  try {
    return decodeURIComponent(bare)
  } catch (error) {
    if (error instanceof URIError) return bare
    throw error
  }
}

function absolute(text: string, { home }: PlacesPort, cwd: string): string[] {
  const spelled = slashed(text)
    .replace(/^~(?=\/|$)/, home)
    .replace(/\$(?:HOME\b|\{HOME\}|env:USERPROFILE\b)|%USERPROFILE%/gi, home)
    // The home of another: where it lies does not matter to what ends paths.
    .replace(/^~[\w.-]+/, '/home')
  // An option with its value in one word: -f/etc/shadow, -I../x.
  const value = /^-{1,2}[\w-]*?([./~].*)$/.exec(spelled)?.[1]
  const given = value === undefined ? [spelled] : [spelled, value.replace(/^~(?=\/|$)/, home)]
  return given.flatMap(path =>
    /^(?:\/|[a-z]:\/)/i.test(path) ? [normal(path)] : [normal(`${home}/${path}`), normal(`${cwd}/${path}`)],
  )
}

/** Without `.`, `..` and doubled slashes. */
export function normal(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  const root = /^[a-z]:/i.test(path) ? '' : '/'
  return `${root}${parts.join('/')}`
}

const slashed = (path: string): string => path.replaceAll('\\', '/')

/** Ours, or of another home of ours; what operations keep for the person lies in `files`. */
const isOwn = (path: string, own: string): boolean =>
  [`${own}/`, '/.unicli/'].some(folder => {
    const at = `${path}/`.indexOf(folder)
    return at !== -1 && !path.startsWith('files/', at + folder.length) && !path.endsWith(`${folder}files`)
  })

/** Whether the path leads to, or into, something that ends so. */
const holds = (path: string, end: string): boolean => `${path}/`.includes(`/${end}/`)
