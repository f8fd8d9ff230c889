import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { builtinOperation } from '../kernel/builtin.ts'
import type { BuiltinCall, Operation } from '../kernel/operation.ts'
import { browserLogin } from './browser-login.ts'
import { COOKIE_FORMATS } from './cookie-formats.ts'
import { exportCookies, importCookies } from './cookie-transfer.ts'
import { beginDeviceLogin, checkAnswer, waitForDevice } from './device-login.ts'
import type { AuthParts } from './parts.ts'
import { findSite, sitesOf } from './sites.ts'
import { statusRows } from './status.ts'

const TARGET = z.string().min(1).max(64)
/** A person logs in at their own pace; device codes live so long. */
const LOGIN_MS = 15 * 60_000

/** `auth.…`: logging the person in, and what is kept of it. Secrets are in no answer. */
export const authOperations = (parts: AuthParts): Operation[] => [
  login(parts),
  check(parts),
  status(parts),
  importOf(parts),
  exportOf(parts),
  forget(parts),
]

const login = (parts: AuthParts): Operation =>
  builtinOperation({
    id: 'auth.login',
    doc: 'Log the person in to a site in their own browser, or to a service by a code that they enter.',
    args: z.strictObject({
      target: TARGET.describe('site, such as mediawiki, or service, such as github'),
      wait: z
        .boolean()
        .default(true)
        .describe('wait until the person is done; without, a code is answered at once'),
      via: z
        .enum(['browser', 'code'])
        .optional()
        .describe('how, where both are possible; a service is logged in to by code'),
    }),
    positional: ['target'],
    effect: 'write',
    needs: ['browser'],
    example: { target: 'github', wait: false },
    columns: ['state', 'service', 'user_code', 'verification_uri', 'expires_in'],
    aliases: ['sign in', 'authenticate', 'oauth', 'device code', 'token', '登录', '登陆', '授权', '认证'],
    timeoutMs: LOGIN_MS,
    async run({ target, wait, via }, call) {
      const service = via === 'browser' ? null : parts.services.get(target)
      if (service === null) return loginInBrowser(target, via, wait, parts, call)
      const begun = await beginDeviceLogin(service, parts, call)
      return wait && begun.state === 'pending' ? waitForDevice(service, parts, call) : begun
    },
  })

async function loginInBrowser(
  target: string,
  via: 'browser' | 'code' | undefined,
  wait: boolean,
  parts: AuthParts,
  call: BuiltinCall,
) {
  const site = findSite(parts, target)
  if (via === 'code' || !wait)
    throw new Failure('unsupported', {
      what: 'Logging in by a code',
      where: site.name,
      hint: `It is no service: "unicli auth login ${site.name}" opens its page in the browser and waits.`,
    })
  const { state, by, account } = await browserLogin(site, parts, call)
  return { state, site: site.name, account, by }
}

const check = (parts: AuthParts): Operation =>
  builtinOperation({
    id: 'auth.check',
    doc: 'Tell whether a sign-in by code that was begun is pending, authorized, expired or denied.',
    args: z.strictObject({ service: TARGET.describe('as it was logged in to') }),
    positional: ['service'],
    effect: 'read',
    example: { service: 'github' },
    columns: ['state', 'service', 'retry_after_s', 'expires_at'],
    aliases: ['poll', 'device code', 'oauth', 'authorized', '检查登录', '授权状态'],
    async run({ service }, call) {
      if (parts.services.get(service) === null) throw unknownService(service, parts)
      return checkAnswer(service, await parts.signIns.check(service, call))
    },
  })

function unknownService(name: string, { services }: AuthParts): Failure {
  const known = services.list().map(service => service.name)
  return new Failure('not_found', {
    what: `A service "${name}"`,
    hint: `Known: ${known.join(', ')}. Sites are looked at by "unicli auth status".`,
  })
}

const status = (parts: AuthParts): Operation =>
  builtinOperation({
    id: 'auth.status',
    doc: 'Tell to which sites and services the person is logged in, and until when.',
    args: z.strictObject({ target: TARGET.optional().describe('only this site or service') }),
    positional: ['target'],
    effect: 'read',
    needs: ['browser', 'http'],
    example: { target: 'mediawiki' },
    columns: ['name', 'kind', 'state', 'account', 'by', 'expires_at', 'reason'],
    aliases: ['logged in', 'who am i', 'session', 'accounts', '登录状态', '已登录'],
    timeoutMs: 60_000,
    run: ({ target }, call) => statusRows(target, parts, call),
  })

const importOf = (parts: AuthParts): Operation =>
  builtinOperation({
    id: 'auth.import',
    doc: "Keep a site's cookies from a cookies.txt, an extension's export or Playwright's storage state.",
    args: z.strictObject({
      site: TARGET.describe('site whose cookies are kept; all others are left out'),
      file: z.string().min(1).optional().describe('file in a granted folder'),
      cookies: z.string().min(1).optional().describe('the text itself'),
    }),
    positional: ['site', 'file'],
    secrets: ['cookies'],
    effect: 'write',
    needs: ['files'],
    example: { site: 'mediawiki', file: 'cookies.txt' },
    columns: ['site', 'kept', 'expired', 'of_other_sites'],
    aliases: ['cookies', 'netscape', 'storage state', 'session', '导入', '会话'],
    run: (args, call) => importCookies(args, parts, call),
  })

const exportOf = (parts: AuthParts): Operation =>
  builtinOperation({
    id: 'auth.export',
    doc: "Write a site's cookies to a new file that only its owner can read.",
    args: z.strictObject({
      site: TARGET,
      file: z.string().min(1).describe('file in a granted folder, that is not there yet'),
      as: z.enum(COOKIE_FORMATS).default('playwright'),
    }),
    positional: ['site', 'file'],
    effect: 'write',
    // Whoever has the file is the person, for the site.
    risk: 'account',
    needs: ['browser', 'files'],
    example: { site: 'mediawiki', file: 'mediawiki-session.json' },
    columns: ['site', 'file', 'format', 'cookies'],
    aliases: ['cookies', 'playwright', 'netscape', 'storage state', '导出', '会话'],
    run: (args, call) => exportCookies(args, parts, call),
  })

const forget = (parts: AuthParts): Operation =>
  builtinOperation({
    id: 'auth.forget',
    doc: "Delete a service's tokens, revoked where that can be, and a site's imported cookies.",
    args: z.strictObject({ target: TARGET.describe('site or service') }),
    positional: ['target'],
    effect: 'destructive',
    example: { target: 'github' },
    columns: ['name', 'tokens', 'revoked', 'cookies'],
    aliases: ['log out', 'sign out', 'revoke', 'delete token', '退出', '登出', '注销'],
    async run({ target }, call) {
      const { kernel, config, services, signIns, cookies } = parts
      const isKnown =
        services.get(target) !== null ||
        sitesOf(kernel().catalogue, config).some(site => site.name === target)
      // What was kept of a site or service outlives its adapter.
      const { forgot, revoked } = await signIns.forget(target, call)
      const dropped = cookies.drop(target)
      if (!isKnown && !forgot && !dropped) findSite(parts, target)
      return { name: target, tokens: forgot, revoked, cookies: dropped }
    },
  })
