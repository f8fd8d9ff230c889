import { browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import { needDebugger } from '../worker/need-debugger.ts'
import type { WorkerParts } from '../worker/worker.ts'

/** Fails with unsupported where the debugger cannot be attached. */
export const printHandler =
  ({ sessions, debug }: WorkerParts): WireHandlers['page.print'] =>
  async ({ session, landscape, background, scale, width, height, margin, ranges }, { signal }) => {
    needDebugger('print')
    const tab = await sessions.tabOf(session)
    const printing = debug.on(tab, send =>
      send<{ data: string }>('Page.printToPDF', {
        ...{ landscape, scale, printBackground: background, pageRanges: ranges },
        ...{ paperWidth: width, paperHeight: height, preferCSSPageSize: false },
        ...{ marginTop: margin, marginBottom: margin, marginLeft: margin, marginRight: margin },
      }),
    )
    const { data } = await orAborted(printing, signal)
    const { url = '', title = '' } = await browser.tabs.get(tab)
    return { base64: data, url, title }
  }
