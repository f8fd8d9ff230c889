import { Failure } from '../../shared/failures.ts'

/** What a site shows in place of data. */
export type WallKind = 'browser check' | 'captcha' | 'login' | 'rate limit' | 'consent page' | 'not found'

export interface Page {
  url: string
  html: string
}

/** One pattern of the table. `where` says which part of a page has to show it. */
export interface WallMark {
  id: string
  kind: WallKind
  /** `markup`: in the page's source. `heading`: title or first headings, as a whole. `text`: in a page of few words. */
  where: 'markup' | 'heading' | 'text' | 'address'
  pattern: RegExp
}

const mark = (id: string, kind: WallKind, where: WallMark['where'], pattern: RegExp): WallMark => ({
  id,
  kind,
  where,
  pattern,
})

/**
 * The one table of walls, the most telling first: a login form with a captcha in it is a login. Words count only where
 * they stand for the whole page, so that an article about captchas stays an article.
 */
export const WALL_MARKS: readonly WallMark[] = [
  mark(
    'cloudflare',
    'browser check',
    'markup',
    /_cf_chl_opt|\/cdn-cgi\/challenge-platform\/|id=["']?cf-challenge/i,
  ),
  mark('perimeterx', 'browser check', 'markup', /id=["']?px-captcha|window\._pxAppId/i),
  mark('datadome', 'browser check', 'markup', /(?:geo|ct)\.captcha-delivery\.com/i),
  mark('aws-waf', 'browser check', 'markup', /AwsWafIntegration|awsWafCookieDomainList|gokuProps/),
  mark('akamai', 'browser check', 'markup', /id=["']?sec-if-cpt-container/i),
  mark('imperva', 'browser check', 'markup', /_Incapsula_Resource\?[^"']*SWUDNSAI/),
  mark(
    'checking-words',
    'browser check',
    'heading',
    /^(?:just a moment|checking your browser|attention required|one more step|please wait while we verify|请稍候)(?!\w).{0,40}$/i,
  ),
  mark('password-field', 'login', 'markup', /<input\b[^>]*\btype\s*=\s*["']?password\b/i),
  mark(
    'turnstile',
    'captcha',
    'markup',
    /class=["'][^"']*cf-turnstile|challenges\.cloudflare\.com\/turnstile/i,
  ),
  mark(
    'recaptcha',
    'captcha',
    'markup',
    /class=["'][^"']*g-recaptcha|google\.com\/recaptcha\/|recaptcha\.net\/recaptcha\//i,
  ),
  mark('hcaptcha', 'captcha', 'markup', /class=["'][^"']*h-captcha|js\.hcaptcha\.com|hcaptcha\.com\/1\/api/i),
  mark('arkose', 'captcha', 'markup', /client-api\.arkoselabs\.com|funcaptcha\.com/i),
  mark('geetest', 'captcha', 'markup', /geetest\.com\/|initGeetest/i),
  mark('tencent', 'captcha', 'markup', /TCaptcha\.js|turing\.captcha\.(?:qcloud|gtimg)\.com/i),
  mark('aliyun', 'captcha', 'markup', /aliyunCaptcha|AliyunCaptcha\.js|nc_1_nocaptcha/),
  mark(
    'captcha-words',
    'captcha',
    'heading',
    /^(?:(?:please )?(?:verify|confirm|prove)(?: that)? you(?:'|’)?(?: a)?re (?:a )?(?:human|not a robot)|are you (?:a )?(?:human|robot)|robot check|captcha(?: required| check)?|security (?:check|verification)|human verification|人机验证|安全验证|请完成验证)(?:(?!\w).{0,30})?$/i,
  ),
  mark(
    'captcha-prompt',
    'captcha',
    'text',
    /\b(?:complete|solve|enter|fill in) the captcha|type the characters (?:you see|below|in the image)|i(?:'|’)?m not a robot|unusual traffic from your|请输入验证码|拖动滑块/i,
  ),
  mark(
    'rate-words',
    'rate limit',
    'heading',
    /^(?:(?:error )?429\b.{0,40}|too many requests|rate limit(?:ed| exceeded| reached)?|slow down|(?:请求|访问|操作)(?:过于|太)频繁).{0,40}$/i,
  ),
  mark(
    'rate-prompt',
    'rate limit',
    'text',
    /\btoo many requests\b|\brate[ -]limit(?:ed| exceeded| reached)\b|you (?:are being|have been) rate[ -]limited|(?:请求|访问|操作)(?:过于|太)频繁/i,
  ),
  mark('consent-host', 'consent page', 'address', /^https?:\/\/consent\.[^/]+\//i),
  mark(
    'consent-words',
    'consent page',
    'heading',
    /^(?:before you continue|we value your privacy|(?:your )?(?:cookie|privacy) (?:consent|settings|preferences|choices)|we use cookies|accept (?:all )?cookies|bevor sie fortfahren)\b.{0,60}$/i,
  ),
  mark('consent-form', 'consent page', 'markup', /<form\b[^>]*\baction\s*=\s*["'][^"']*consent[^"']*["']/i),
  mark(
    'login-address',
    'login',
    'address',
    /^https?:\/\/[^/]+(?:\/[^?#]*)?\/(?:log[-_]?in|sign[-_]?in|sso|accounts\/login|users\/sign_in|session\/new|authorize)(?:[/?#.]|$)/i,
  ),
  mark(
    'login-words',
    'login',
    'heading',
    /^(?:(?:please )?(?:log|sign)[ -]?in(?: (?:to|required|with|or)\b.{0,40})?|login(?: required)?|you (?:must|need to) (?:be )?log(?:ged)?[ -]?in.{0,40}|请(?:先)?登录|用户登录|登录)$/i,
  ),
  mark(
    'not-found-words',
    'not found',
    'heading',
    /^(?:(?:error |http )?(?:404|410)\b.{0,40}|(?:page|file|resource|content) (?:was )?not found|not found|gone|(?:this|that|the) page (?:does not|doesn(?:'|’)t|could not|couldn(?:'|’)t) .{0,30}|(?:页面|网页)(?:不存在|未找到)|seite nicht gefunden|page introuvable|página no encontrada)(?:(?!\w).{0,40})?$/i,
  ),
]

/** More words than this are a text that somebody wrote to be read, not a wall. */
const THIN_CHARS = 1500

/**
 * The wall that a page is, or null when it is data.
 *
 * @param wanted `json`: HTML is no data whatever it says, the only question is which wall it is. `page`: HTML was
 *   asked for, so that a mark counts only in a page of few words, and a sign-in box beside an article is no login.
 */
export function wallIn(page: Page, wanted: 'json' | 'page'): WallMark | null {
  const { html, url } = page
  const visible = visibleText(html)
  const isThin = visible.length < THIN_CHARS
  if (wanted === 'page' && !isThin) return null
  const headings = headingsOf(html)
  const shows = ({ where, pattern }: WallMark): boolean => {
    if (where === 'markup') return pattern.test(html)
    if (where === 'address') return pattern.test(url)
    return where === 'heading' ? headings.some(text => pattern.test(text)) : isThin && pattern.test(visible)
  }
  const found = WALL_MARKS.filter(shows)
  // A page that was asked for may well hold a form; it is a wall when a second mark agrees.
  const isFirm = (candidate: WallMark): boolean =>
    wanted === 'json' ||
    candidate.where === 'heading' ||
    candidate.kind === 'browser check' ||
    found.filter(({ kind }) => kind === candidate.kind).length > 1 ||
    (candidate.where === 'markup' && visible.length < FORM_ALONE_CHARS)
  return found.find(isFirm) ?? null
}

/** About what a form and its labels say when nothing else is on the page. */
const FORM_ALONE_CHARS = 300

/** Fails with the wall that a page is, if it is one. */
export function failOnWall(page: Page): void {
  const wall = wallIn(page, 'page')
  if (wall !== null) throw wallFailure(wall, page)
}

/** The failure that says what a person or a caller has to do about a wall. */
export function wallFailure({ kind, id }: WallMark, { url, html }: Page): Failure {
  const site = siteOf(url)
  switch (kind) {
    case 'login':
      return new Failure('auth_required', { site, reason: LOGIN_REASONS[id] ?? 'it showed a login page' })
    case 'rate limit':
      return new Failure('rate_limited', { site, retry_after_s: null })
    case 'not found':
      return new Failure('not_data', { url, what: 'a page that says "not found"', excerpt: excerptOf(html) })
    default:
      return new Failure('challenge_required', { site, kind })
  }
}
const LOGIN_REASONS: Readonly<Record<string, string>> = {
  'password-field': 'it showed a login form',
  'login-address': 'it led to its login page',
}

/** The host, or what there is in its place: a page that was opened by hand has no known address. */
export const siteOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url || 'the page')

export const isHtmlText = (text: string): boolean =>
  /^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b/i.test(text)

/** What a person would read first, short enough for a message. */
export const excerptOf = (text: string): string => visibleText(text).slice(0, 120)

const UNSEEN = /<(script|style|noscript|template|svg)\b[^>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi

const visibleText = (html: string): string =>
  html
    .replaceAll(UNSEEN, ' ')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The title, also without the site's name behind a bar or dash, and the first headings. */
function headingsOf(html: string): string[] {
  const found = [...html.matchAll(/<(title|h1|h2)\b[^>]*>([\s\S]*?)<\/\1\s*>/gi)].slice(0, 4)
  return found.flatMap(([, , inner = '']) => {
    const text = visibleText(inner)
    const parts = text.split(/\s+[|–—·:-]\s+/)
    return [text, ...(parts.length > 1 ? parts : [])].filter(part => part !== '')
  })
}
