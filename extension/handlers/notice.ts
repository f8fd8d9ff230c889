import { browser } from 'wxt/browser'
import type { WireHandlers } from '../../shared/wire.ts'

export const noticeHandlers = (): Pick<WireHandlers, 'notice.show'> => ({
  'notice.show': async ({ title, text }) => {
    const iconUrl = browser.runtime.getURL('/icon/128.png')
    await browser.notifications.create({ type: 'basic', iconUrl, title, message: text })
    return { shown: true }
  },
})
