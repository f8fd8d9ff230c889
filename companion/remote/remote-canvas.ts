import type { RemoteBrowser } from './remote-browser.ts'

/** What is drawn, in the words of a canvas: a property that is set, or a method that is called. */
type Stroke = { set: string; value: unknown } | { call: string; args: unknown[] }

/** A picture that lies in the darkroom. */
class RemoteBitmap {
  readonly width: number
  readonly height: number
  readonly key: number
  readonly close: () => void

  constructor(key: number, size: { width: number; height: number }, close: () => void) {
    this.key = key
    this.width = size.width
    this.height = size.height
    this.close = close
  }
}

/** About as wide as a letter of the labels is, for a share of its height: nothing can be measured before it is drawn. */
const LETTER_WIDTH = 0.62

/**
 * `createImageBitmap` and `OffscreenCanvas` of a worker, which Node has not: what is drawn is written down and drawn
 * in a blank page of the remote browser, that is opened for it and touches nobody's.
 */
export class Darkroom {
  readonly #browser: RemoteBrowser
  #session: Promise<string> | null = null
  #next = 1

  constructor(browser: RemoteBrowser) {
    this.#browser = browser
  }

  globals(): Record<string, unknown> {
    const develop = (canvas: Canvas, type: string, quality: number | undefined) =>
      this.#develop(canvas, type, quality)
    class RemoteCanvas {
      readonly width: number
      readonly height: number
      readonly strokes: Stroke[] = []

      constructor(width: number, height: number) {
        this.width = width
        this.height = height
      }

      readonly getContext = () => contextOf(this)
      readonly convertToBlob = ({ type = 'image/png', quality }: { type?: string; quality?: number } = {}) =>
        develop(this, type, quality)
    }
    return { createImageBitmap: (blob: Blob) => this.#take(blob), OffscreenCanvas: RemoteCanvas }
  }

  async #take(blob: Blob): Promise<RemoteBitmap> {
    const key = this.#next++
    const base64 = Buffer.from(await blob.arrayBuffer()).toString('base64')
    const size = await this.#call<{ width: number; height: number }>('take', [key, base64, blob.type])
    return new RemoteBitmap(key, size, () => {
      void this.#call('drop', [key]).catch(error => console.debug('the darkroom is gone', error))
    })
  }

  async #develop(canvas: Canvas, type: string, quality: number | undefined): Promise<Blob> {
    const { width, height, strokes } = canvas
    const drawn = { width, height, strokes, type, quality }
    const base64 = await this.#call<string>('develop', [drawn])
    return new Blob([Buffer.from(base64, 'base64')], { type })
  }

  async #call<R>(method: 'take' | 'drop' | 'develop', args: unknown[]): Promise<R> {
    return await this.#run<R>(await this.#open(), `darkroom.${method}(...${JSON.stringify(args)})`)
  }

  async #run<R>(session: string, expression: string): Promise<R> {
    const params = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await this.#browser.protocol.send<{
      result: { value: R }
      exceptionDetails?: { text: string; exception?: { description?: string } }
    }>('Runtime.evaluate', params, session)
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }

  #open(): Promise<string> {
    this.#session ??= this.#made()
    this.#session.catch(() => {
      this.#session = null
    })
    return this.#session
  }

  async #made(): Promise<string> {
    const session = await this.#browser.hiddenPage()
    await this.#run(session, DARKROOM)
    return session
  }
}

interface Canvas {
  width: number
  height: number
  strokes: Stroke[]
}

/** Writes down what is done to it. */
function contextOf(canvas: Canvas): object {
  const set: Record<string, unknown> = {}
  const measureText = (text: string) => {
    const size = Number(/(\d+)px/.exec(String(set.font))?.[1] ?? 10)
    return { width: text.length * size * LETTER_WIDTH }
  }
  return new Proxy(
    { canvas, measureText },
    {
      get: (own, name: string) =>
        name in own
          ? own[name as keyof typeof own]
          : (...args: unknown[]) => void canvas.strokes.push({ call: name, args: args.map(told) }),
      set: (_, name: string, value) => {
        set[name] = value
        canvas.strokes.push({ set: name, value })
        return true
      },
    },
  )
}

const told = (value: unknown): unknown => (value instanceof RemoteBitmap ? { bitmap: value.key } : value)

/** What the blank page does; as text, since nothing of it runs here. */
const DARKROOM = `(() => {
  const bitmaps = new Map()
  const meant = value => (typeof value === 'object' && value !== null && 'bitmap' in value ? bitmaps.get(value.bitmap) : value)
  globalThis.darkroom = {
    take: async (key, base64, type) => {
      const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
      const bitmap = await createImageBitmap(new Blob([bytes], { type }))
      bitmaps.set(key, bitmap)
      return { width: bitmap.width, height: bitmap.height }
    },
    drop: key => {
      bitmaps.get(key)?.close()
      bitmaps.delete(key)
    },
    develop: async ({ width, height, strokes, type, quality }) => {
      const canvas = new OffscreenCanvas(width, height)
      const context = canvas.getContext('2d')
      for (const { set, value, call, args } of strokes)
        if (set !== undefined) context[set] = value
        else context[call](...args.map(meant))
      const blob = await canvas.convertToBlob({ type, quality })
      const bytes = new Uint8Array(await blob.arrayBuffer())
      let text = ''
      for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
      return btoa(text)
    },
  }
})()`
