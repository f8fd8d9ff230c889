import { type Browser, browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'

/** A tab as the browser has it now. @param address the session's, for the failure. Fails with tab_gone. */
export async function getTab(tab: number, address: string): Promise<Browser.tabs.Tab> {
  try {
    return await browser.tabs.get(tab)
  } catch (cause) {
    // The only reason why a browser cannot give a tab is that there is none of this id.
    throw new Failure('tab_gone', { session: address }, { cause })
  }
}
