import { z } from 'zod'
import { defineStep } from '../kernel/step.ts'
import { fileBytes } from './bytes.ts'
import { parseFailure } from './fields.ts'

const PdfToText = z
  .strictObject({
    pages: z.boolean().default(false).describe('give rows of page and text, not one text'),
    first: z.number().int().min(1).default(1),
    last: z.number().int().min(1).optional(),
  })
  .refine(({ first, last }) => last === undefined || last >= first, 'last comes before first')

export const pdfToText = defineStep({
  name: 'pdf_to_text',
  doc: 'Read the text of a PDF, which comes as bytes or as base64 text; pages are parted by an empty line.',
  needs: [],
  effect: 'pure',
  schema: PdfToText,
  example: { first: 1, last: 1 },
  exampleInput:
    'JVBERi0xLjQKMSAwIG9iajw8L1BhZ2VzIDIgMCBSPj5lbmRvYmoKMiAwIG9iajw8L0tpZHNbMyAwIFJdL0NvdW50IDE+PmVu' +
    'ZG9iagozIDAgb2JqPDwvUGFyZW50IDIgMCBSL0NvbnRlbnRzIDQgMCBSL1Jlc291cmNlczw8L0ZvbnQ8PC9GPDwvVHlwZS9G' +
    'b250L1N1YnR5cGUvVHlwZTEvQmFzZUZvbnQvSGVsdmV0aWNhPj4+Pj4+Pj5lbmRvYmoKNCAwIG9iajw8L0xlbmd0aCAzMj4+' +
    'c3RyZWFtCkJUIC9GIDkgVGYgKEhlbGxvLCBicmlkZ2UpIFRqIEVUCmVuZHN0cmVhbSBlbmRvYmoKdHJhaWxlcjw8L1Jvb3Qg' +
    'MSAwIFI+Pgo=',
  exampleOutput: 'Hello, bridge',
  run: async ({ data, signal, progress }, params) => {
    const pages = await readPages(fileBytes(data, 'pdf_to_text'), params, { signal, progress })
    return params.pages ? pages : pages.map(({ text }) => text).join('\n\n')
  },
})

interface Page {
  page: number
  text: string
}

async function readPages(
  bytes: Uint8Array,
  { first, last }: z.output<typeof PdfToText>,
  { signal, progress }: { signal: AbortSignal; progress: (text: string) => void },
): Promise<Page[]> {
  const { getDocument } = await import('unpdf/pdfjs')
  const absent = new Set<string>()
  const task = getDocument({
    // A copy: the library takes the buffer away from whoever gave it.
    data: Uint8Array.from(bytes),
    verbosity: 0,
    isEvalSupported: false,
    useSystemFonts: true,
    CMapReaderFactory: noCharacterMaps(absent),
  })
  try {
    const document = await task.promise
    const pages: Page[] = []
    for (let page = first; page <= Math.min(last ?? document.numPages, document.numPages); page++) {
      signal.throwIfAborted()
      if (page % 50 === 0) progress(`page ${page} of ${document.numPages}`)
      const content = await (await document.getPage(page)).getTextContent()
      const text = content.items
        .map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
        .join('')
      // The library drops such text in silence.
      if (absent.size > 0)
        throw new Error(`its text needs the character map ${[...absent][0]}, which is not here`)
      pages.push({ page, text: text.trim() })
    }
    return pages
  } catch (cause) {
    throw signal.aborted ? signal.reason : parseFailure('The PDF', cause)
  } finally {
    await task.destroy()
  }
}

/** The maps of fonts that are not embedded are several megabytes and not shipped; a file that needs one must fail. */
const noCharacterMaps = (absent: Set<string>) =>
  class {
    async fetch({ name }: { name: string }): Promise<never> {
      absent.add(name)
      throw new Error(`there is no character map ${name}`)
    }
  }
