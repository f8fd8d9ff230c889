// A DOM and Readability: import this file lazily.
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'

/** The article of a page, or null; text shorter than `minChars` is none. */
export function readArticle(html: string, minChars: number) {
  const { document } = parseHTML(html)
  const article = new Readability(document, { charThreshold: minChars }).parse()
  return article !== null && (article.length ?? 0) >= minChars ? article : null
}
