import type { RecordedRequest } from './exchange.ts'

export type Language = 'en' | 'zh'

/** Every sentence of the notes application, in its two languages. */
export const WORDS = {
  en: {
    lang: 'en',
    title: 'Demo Notes',
    tagline: 'Try things here. All stays on this computer.',
    logIn: 'Log in',
    logOut: 'Log out',
    user: 'User name',
    password: 'Password',
    wrong: 'User name or password is wrong.',
    hint: 'Use demo and demo.',
    hello: 'Signed in as',
    newNote: 'New note',
    noteTitle: 'Title',
    noteBody: 'Text',
    save: 'Save note',
    saved: 'Saved.',
    notes: 'Your notes',
    otherLanguage: '中文',
    other: 'zh',
  },
  zh: {
    lang: 'zh-CN',
    title: '示例笔记',
    tagline: '在这里试一试，一切都留在这台电脑上。',
    logIn: '登录',
    logOut: '退出',
    user: '用户名',
    password: '密码',
    wrong: '用户名或密码不正确。',
    hint: '请用 demo 和 demo。',
    hello: '已登录：',
    newNote: '新笔记',
    noteTitle: '标题',
    noteBody: '内容',
    save: '保存笔记',
    saved: '已保存。',
    notes: '你的笔记',
    otherLanguage: 'English',
    other: 'en',
  },
} as const

export type Words = (typeof WORDS)[Language]

/** The person's choice (`?lang=`, remembered in a cookie), else what the browser asks for, else English. */
export function languageOf(request: RecordedRequest): Language {
  const chosen = request.query.get('lang') ?? request.cookies.lang
  if (chosen === 'en' || chosen === 'zh') return chosen
  return request.headers['accept-language']?.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}
