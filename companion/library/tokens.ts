/** Words that tell nothing apart in a catalogue of operations. */
const STOP_WORDS = new Set(
  (
    'a about all an and any are as at be by can could do does for from get give has have how i if in into is it its ' +
    'let like me my of on or our out please show so some tell than that the their them then there these they this ' +
    'to up us want was we what when where which who will with would you your ' +
    '的 了 吗 呢 把 在 是 我 你 他 她 它 们 和 与 或 请 要 想 个 一 上 下 中 里 给 帮 从'
  ).split(' '),
)

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const RUNS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}\p{M}]+/gu

/**
 * Terms of a text for indexing and for searching alike: identifiers split at case and punctuation, stop words left
 * out, English endings removed, and Chinese, Japanese and Korean as single characters and pairs of them.
 */
export function tokensOf(text: string): string[] {
  const split = text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
  const runs = split.match(RUNS) ?? []
  return runs.flatMap(run => (CJK.test(run) ? grams(run) : [stem(run)])).filter(term => !STOP_WORDS.has(term))
}

function grams(run: string): string[] {
  const characters = [...run]
  return [...characters, ...characters.slice(1).map((character, i) => `${characters[i]}${character}`)]
}

/** They only look like plurals. */
const SINGULAR = new Set(['news', 'series', 'species', 'lens', 'always', 'alias'])

/** Takes off the commonest English endings; the same word always ends the same, which is all that matters here. */
function stem(word: string): string {
  if (word.length < 4 || SINGULAR.has(word) || /\d/.test(word)) return word
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^su])s$/, '$1')
  const root = singular.replace(/(?<=[aeiouy].*)(ing|ed)$/, '')
  if (root === singular || root.length < 3) return withoutE(singular)
  return withoutE(root.replace(/([bdfgmnprt])\1$/, '$1'))
}

const withoutE = (word: string): string => (word.length > 4 ? word.replace(/e$/, '') : word)
