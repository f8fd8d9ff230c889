import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RemoteFrame, World } from './frames.ts'
import type { RemoteBrowser } from './remote-browser.ts'
import type { RemoteTab } from './remote-tab.ts'

export interface Injection {
  target: { tabId: number; frameIds?: number[]; documentIds?: string[] }
  world?: World
  func?: (...args: never[]) => unknown
  args?: readonly unknown[]
  files?: readonly string[]
}

export interface InjectionResult {
  frameId: number
  documentId: string
  result: unknown
}

interface Evaluated {
  result: { value?: unknown }
  exceptionDetails?: { text: string; exception?: { description?: string } }
}

/** `scripting.executeScript` over the protocol: functions and files of the extension in documents of remote tabs. */
export class RemoteScripting {
  readonly #browser: RemoteBrowser
  /** The built extension. */
  readonly #folder: string

  constructor(browser: RemoteBrowser, folder: string) {
    this.#browser = browser
    this.#folder = folder
  }

  /** Rejects with the texts that Chromium itself uses, by which the worker tells what happened. */
  async executeScript(injection: Injection): Promise<InjectionResult[]> {
    const { target, world = 'ISOLATED' } = injection
    const tab = await this.#browser.tab(target.tabId)
    const frames = framesOf(tab, target)
    return await Promise.all(
      frames.map(async frame => {
        const { document } = frame
        const result = await this.#inFrame(tab, frame, world, injection)
        return { frameId: frame.id, documentId: document, result }
      }),
    )
  }

  async #inFrame(tab: RemoteTab, frame: RemoteFrame, world: World, injection: Injection): Promise<unknown> {
    const { func, args = [], files = [] } = injection
    try {
      const context = await tab.contextOf(frame, world)
      let last: unknown = null
      for (const file of files) last = await this.#run(frame, context, await this.read(file))
      return func === undefined ? last : await this.#call(frame, context, String(func), args)
    } catch (error) {
      throw GONE.test(String(error)) ? new Error(`Frame with ID ${frame.id} was removed.`) : error
    }
  }

  read(file: string): Promise<string> {
    return readFile(join(this.#folder, file), 'utf8')
  }

  async #run(frame: RemoteFrame, contextId: number, expression: string): Promise<unknown> {
    const params = { expression, contextId, awaitPromise: true, returnByValue: true }
    return evaluated(await this.#browser.protocol.send<Evaluated>('Runtime.evaluate', params, frame.session))
  }

  async #call(
    frame: RemoteFrame,
    executionContextId: number,
    functionDeclaration: string,
    args: readonly unknown[],
  ): Promise<unknown> {
    const params = {
      ...{ functionDeclaration, executionContextId, awaitPromise: true, returnByValue: true },
      arguments: args.map(value => ({ value })),
    }
    return evaluated(
      await this.#browser.protocol.send<Evaluated>('Runtime.callFunctionOn', params, frame.session),
    )
  }
}

/** What the protocol says when a document went away. */
const GONE =
  /context was destroyed|cannot find context|inspected target navigated or closed|session with given id not found|no frame (for|with) given id|cannot find default execution context/i

function framesOf(tab: RemoteTab, { tabId, frameIds, documentIds }: Injection['target']): RemoteFrame[] {
  const found = documentIds?.map(id => tab.frames.byDocument(id)) ??
    frameIds?.map(id => tab.frames.byId(id)) ?? [tab.frames.main]
  return found.map((frame, at) => {
    if (frame !== undefined) return frame
    const wanted = documentIds?.[at]
    throw new Error(
      wanted === undefined
        ? `No frame with id ${frameIds?.[at]} in tab with id ${tabId}`
        : `No document with id ${wanted} in tab with id ${tabId}`,
    )
  })
}

function evaluated({ result, exceptionDetails }: Evaluated): unknown {
  // A function of ours that throws gives no result, as in a browser.
  if (exceptionDetails !== undefined)
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value ?? null
}
