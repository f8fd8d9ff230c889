import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { SEEDED_PAGES } from './mediawiki-pages.ts'
import { type Spawned, spawnProcess, withFreePort } from './processes.ts'
import type { Requirement } from './requirement.ts'
import { type IsolatedEnv, isolatedEnv, makeTempDir, runDir } from './temp.ts'

/** A running wiki with the pages of mediawiki-pages.ts and one account, an administrator. */
export interface MediaWiki {
  /** Without a trailing slash; pages are at `${url}/index.php/Title`. */
  url: string
  apiUrl: string
  user: string
  password: string
  stop(): Promise<void>
}

const USER = 'Admin'
const PASSWORD = 'Adm1nPassw0rd!'

/** Where Debian's package puts the software: the part for the web, and all of it. */
const WEB_ROOT = '/var/lib/mediawiki'
const SOFTWARE = '/usr/share/mediawiki'

/** Stand in the installed settings for what differs from copy to copy. */
const SERVER_PLACEHOLDER = 'http://127.0.0.1:1'

export function mediawikiAvailable(): boolean {
  if (!existsSync(join(WEB_ROOT, 'index.php')) || !existsSync(join(SOFTWARE, 'maintenance/install.php')))
    return false
  const modules = spawnSync('php', ['-m'], { encoding: 'utf8' })
  return (
    modules.status === 0 &&
    ['pdo_sqlite', 'intl', 'mbstring', 'xml'].every(name => modules.stdout.includes(name))
  )
}

export const MEDIAWIKI: Requirement = {
  name: 'Debian packages mediawiki, php-cli, php-sqlite3, php-intl, php-mbstring, php-xml',
  get available() {
    return mediawikiAvailable()
  },
}

/** Starts a wiki of its own: the installation is made once per run and copied for each start. */
export async function startMediaWiki(): Promise<MediaWiki> {
  const original = await installedWiki()
  const own = await isolatedEnv()
  const site = join(own.root, 'w')
  await cp(original, site, { recursive: true })
  const settings = await readFile(join(site, 'LocalSettings.php'), 'utf8')
  const { server, url } = await withFreePort(async port => {
    const address = `http://127.0.0.1:${port}`
    const adapted = settings.replaceAll(original, site).replaceAll(SERVER_PLACEHOLDER, address)
    await writeFile(join(site, 'LocalSettings.php'), adapted)
    const started = await servePhp(port, site, own.env)
    return started === 'taken' ? started : { server: started, url: address }
  })
  const stop = async () => {
    await server.stop()
    await own.remove()
  }
  return { url, apiUrl: `${url}/api.php`, user: USER, password: PASSWORD, stop }
}

/** Logs in as a person does: types name and password into the wiki's own form. */
export async function logInToMediaWiki(page: Page, wiki: MediaWiki): Promise<void> {
  await page.goto(`${wiki.url}/index.php/Special:UserLogin`, { waitUntil: 'domcontentloaded' })
  await page.locator('#wpName1').pressSequentially(wiki.user)
  await page.locator('#wpPassword1').pressSequentially(wiki.password)
  await page.locator('#wpLoginAttempt').click()
  await page.locator('#pt-userpage').waitFor()
}

async function servePhp(port: number, site: string, env: Record<string, string>): Promise<Spawned | 'taken'> {
  const server = await spawnProcess('php', ['-S', `127.0.0.1:${port}`, '-t', WEB_ROOT], {
    env: { ...env, MW_CONFIG_FILE: join(site, 'LocalSettings.php'), PHP_CLI_SERVER_WORKERS: '4' },
  })
  const [line] = await server.waitForLine(/Development Server .* started|Address already in use/)
  if (!line.includes('in use')) return server
  await server.stop()
  return 'taken'
}

/** The run's one installation, made by whoever comes first. Two makers at once do no harm: one result is kept. */
async function installedWiki(): Promise<string> {
  const target = join(runDir(), 'mediawiki')
  if (existsSync(target)) return target
  const own = await isolatedEnv()
  const staging = await makeTempDir()
  try {
    await install(join(staging.path, 'wiki'), target, own)
    await rename(join(staging.path, 'wiki'), target)
  } catch (error) {
    if (!existsSync(target)) throw error
  } finally {
    await Promise.all([own.remove(), staging.remove()])
  }
  return target
}

/** @param finalSite where the installation will be moved to: its settings name that folder */
async function install(site: string, finalSite: string, own: IsolatedEnv): Promise<void> {
  await mkdir(join(site, 'data'), { recursive: true })
  await mkdir(join(site, 'images'))
  const where = ['--confpath', site, '--dbtype', 'sqlite', '--dbpath', join(site, 'data'), '--dbname', 'wiki']
  const looks = ['--server', SERVER_PLACEHOLDER, '--scriptpath', '', '--lang', 'en', '--skins=Vector']
  await php(
    [join(SOFTWARE, 'maintenance/install.php'), ...where, ...looks, '--pass', PASSWORD, 'Test Wiki', USER],
    own.env,
  )
  const settingsFile = join(site, 'LocalSettings.php')
  const settings = `${await readFile(settingsFile, 'utf8')}${EXTRA_SETTINGS}`
  await writeFile(settingsFile, settings)
  await seed(join(own.root, 'pages'), { ...own.env, MW_CONFIG_FILE: settingsFile })
  await writeFile(settingsFile, settings.replaceAll(site, finalSite))
}

/** No mail, no jobs in the middle of a request, no waiting after wrong passwords, caches in the database. */
const EXTRA_SETTINGS = `
$wgMainCacheType = CACHE_DB;
$wgJobRunRate = 0;
$wgEnableEmail = false;
$wgPasswordAttemptThrottle = [];
$wgCacheDirectory = $wgSQLiteDataDir;
$wgUploadDirectory = dirname( $wgSQLiteDataDir ) . '/images';
`

async function seed(folder: string, env: Record<string, string>): Promise<void> {
  await mkdir(folder)
  const files = await Promise.all(
    Object.entries(SEEDED_PAGES).map(async ([title, text]) => {
      const file = join(folder, `${title}.txt`)
      await writeFile(file, text)
      return file
    }),
  )
  const options = ['-u', USER, '-s', 'Seed', '--rc', '--overwrite']
  await php([join(SOFTWARE, 'maintenance/importTextFiles.php'), ...options, ...files], env)
}

async function php(args: string[], env: Record<string, string>): Promise<void> {
  const run = await spawnProcess('php', args, { env, input: '' })
  const { code } = await run.exited
  if (code !== 0) throw new Error(`php ${args[0]} ended with ${code}:\n${run.stdout()}${run.stderr()}`)
}
