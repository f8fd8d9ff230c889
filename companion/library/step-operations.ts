import type { z } from 'zod'
import { isRecord } from '../../shared/json.ts'
import type { Operation } from '../kernel/operation.ts'
import { objectForm } from '../kernel/schema-shape.ts'
import type { AnyStep } from '../kernel/step.ts'

/** Words that people look for the browser's own operations with. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  navigate: ['open', 'go to', 'visit', 'load', 'page', 'website', '打开', '访问', '网页', '网站'],
  snapshot: ['see', 'look', 'read page', 'accessibility tree', 'elements', '查看页面', '快照', '元素'],
  find: ['search page', 'locate', 'where is', 'query', '查找元素', '页面搜索', '定位'],
  click: ['press button', 'tap', 'follow link', '点击', '按钮'],
  type: ['fill', 'enter text', 'input', 'write in field', '输入', '填写'],
  clear: ['empty field', 'delete text', '清空', '清除'],
  press: ['key', 'keyboard', 'shortcut', '按键', '键盘', '快捷键'],
  wait: ['until', 'loaded', 'appears', '等待', '出现'],
  evaluate: ['javascript', 'script', 'run code', '执行脚本', '代码'],
  extract: ['scrape', 'table', 'css', 'rows', '提取', '抓取', '表格'],
  read_file: ['open file', 'cat', '读取文件', '文件'],
  write_file: ['save file', 'store', '保存文件', '写入'],
  unzip: ['archive', 'extract zip', '解压', '压缩包'],
  media_probe: ['ffprobe', 'video length', 'duration', '视频信息', '时长'],
  media_convert: ['ffmpeg', 'transcode', 'cut video', '转换', '视频', '音频'],
  image_resize: ['thumbnail', 'scale picture', '缩放图片', '图片'],
  cookies: ['session', 'login state', '登录', '会话'],
  hover: ['mouse over', 'tooltip', 'menu', '悬停', '鼠标移到'],
  focus: ['activate field', '聚焦'],
  check: ['tick', 'toggle', 'checkbox', '勾选', '复选框'],
  select_option: ['dropdown', 'choose', 'pick', '下拉', '选择'],
  scroll: ['scroll down', 'more', 'load more', '滚动', '下滑'],
  dialog: [
    'alert',
    'confirm',
    'prompt',
    'popup message',
    'beforeunload',
    '对话框',
    '弹窗',
    '确认框',
    '提示框',
  ],
  drag: ['drop', 'move item', 'reorder', 'sort list', 'slider', '拖动', '拖拽', '拖放', '排序'],
  upload: ['choose file', 'attach', 'file input', 'drop file', '上传', '选择文件', '附件'],
  save_download: ['save file', 'export', 'get file', '下载', '保存文件', '导出'],
  downloads: ['download list', 'recent files', '下载列表', '最近下载'],
  paste: ['insert', 'clipboard', 'paste image', '粘贴', '贴上'],
  print: ['pdf', 'save as pdf', 'print page', '打印', '导出PDF'],
  html: ['source', 'markup', 'page source', '网页源码'],
  storage: ['localStorage', 'sessionStorage', '本地存储'],
  tabs: ['windows', 'open pages', 'list tabs', '标签页', '标签页列表'],
  tab_new: ['new tab', 'open tab', '新标签页', '新建标签页'],
  tab_select: ['switch tab', 'activate tab', 'change tab', '切换标签页'],
  close: ['close tab', '关闭', '关闭标签页'],
  markdown: ['read page', 'article', 'page text', 'content', '正文', '网页转文字', '阅读'],
  cookie_set: ['add cookie', 'set cookie', '设置cookie', '写入cookie'],
  cookie_delete: ['clear cookies', 'remove cookie', '删除cookie', '清除cookie'],
  storage_set: ['localStorage set', 'setItem', '写入本地存储'],
  storage_remove: ['localStorage clear', 'removeItem', '清除本地存储'],
  indexeddb: ['indexed db', 'database', 'offline data', '数据库', '离线数据'],
  emulate: [
    'device',
    'mobile',
    'viewport',
    'geolocation',
    'timezone',
    'dark mode',
    '模拟',
    '手机',
    '时区',
    '定位',
  ],
  metrics: ['performance', 'web vitals', 'LCP', 'page speed', '性能', '加载时间'],
  history: ['visited pages', 'browsing history', '历史记录', '浏览历史'],
  bookmarks: ['favourites', 'saved pages', '书签', '收藏夹'],
  back: ['go back', 'previous page', '后退', '返回'],
  forward: ['go forward', 'next page', '前进'],
  reload: ['refresh', '刷新', '重新加载'],
  info: ['current url', 'where am i', 'title', '当前网址', '页面信息'],
  screenshot: ['capture', 'picture', 'image', 'photo of page', '截图', '截屏', '屏幕快照'],
  sessions: ['list sessions', 'leases', '会话列表', '所有会话'],
  session_end: ['end session', 'close all tabs', '结束会话', '关闭所有标签页'],
  session_keep: ['lease', 'keep session', 'expiry', '保留会话', '会话期限'],
  attach: ['use my tab', 'borrow tab', 'open tab of the person', '借用标签页', '附加标签页'],
}

/** Operations that are one step each, such as `browser.click`. Steps without a site are not called alone. */
export function stepOperations(steps: ReadonlyMap<string, AnyStep>): Operation[] {
  return [...new Set(steps.values())].flatMap(step => {
    const args = objectForm(step.schema)
    return step.site === undefined || args === null ? [] : [operationOf(step, step.site, args)]
  })
}

function operationOf(step: AnyStep, site: string, args: z.ZodObject): Operation {
  return {
    id: `${site}.${step.command ?? step.name}`,
    site,
    command: step.command ?? step.name,
    doc: step.doc,
    args,
    positional: Object.keys(args.shape).filter(name => args.shape[name]?._zod.optin === undefined),
    secrets: step.secretOptions ?? [],
    // Called alone, a step that would inherit its effect has nothing to inherit from: the cautious answer.
    effect: step.effect === 'inherits' ? 'write' : step.effect,
    risk: step.risk,
    needs: [...step.needs],
    strategy: null,
    strategies: [],
    example: isRecord(step.example) ? step.example : {},
    columns: [],
    aliases: ALIASES[step.name] ?? [],
    isProminent: step.isProminent,
    rareArgs: step.rareOptions,
    adapterPath: null,
    verified: null,
    alternatives: [],
    allowEmpty: true,
    source: { kind: 'step', step: step.name },
  }
}
