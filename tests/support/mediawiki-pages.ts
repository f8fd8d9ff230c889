/** What the wiki of the tests says: title → wikitext. All are written by the admin. */
export const SEEDED_PAGES: Readonly<Record<string, string>> = {
  Bridge:
    'A bridge joins a [[Browser]] and an [[Agent]]. It carries messages both ways.\n\n[[Category:Machinery]]',
  Browser:
    'A browser shows pages and keeps the sessions of the person who uses it.\n\n== Sessions ==\n' +
    'A session lives in a cookie.\n\n[[Category:Machinery]]',
  Agent: 'An agent acts for somebody. It asks before it writes.',
  Sandbox: 'Write here.',
  'Page with "quotes" & ampersands':
    'Titles may hold what HTML has to escape: <nowiki><b>not bold</b></nowiki>.',
  浏览器: '浏览器 显示 网页，并保存使用者的会话。参见 [[桥接]]。',
  桥接: '桥接 把浏览器与智能体连在一起。',
}
