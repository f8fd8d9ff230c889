import { text } from '../expression-values.ts'
import { countOf, type Filter, fieldOf, listOf, numberOf, quoted, textOf } from './filter.ts'

/** What Intl takes to make a formatter, the first time that one is asked for. */
const FORMATTER_COST = 5000

export const NUMBER_FILTERS: Readonly<Record<string, Filter>> = {
  int: {
    doc: 'As a whole number, cut off.',
    params: [],
    example: ["'1,234.5' | int", 1234],
    aliases: ['integer'],
    run: v => Math.trunc(numberOf(v)),
  },
  float: {
    doc: 'As a number.',
    params: [],
    example: ["'1,234.5' | float", 1234.5],
    aliases: ['number'],
    run: v => numberOf(v),
  },
  parse_number: {
    doc: 'A number as sites write them: 1.2万, 3.4k, 1亿2000万, $1,234.50, 12%.',
    params: [],
    example: ["'1.2万' | parse_number", 12000],
    run: (v, _, fuel) => (typeof v === 'number' ? v : readNumber(textOf(v, fuel, 10))),
  },
  round: {
    doc: 'Rounded to n digits after the point.',
    params: ['n = 0'],
    example: ['3.14159 | round(2)', 3.14],
    run: (v, [n]) => scaled(Math.round, v, n),
  },
  floor: {
    doc: 'Rounded down to n digits after the point.',
    params: ['n = 0'],
    example: ['3.99 | floor', 3],
    run: (v, [n]) => scaled(Math.floor, v, n),
  },
  ceil: {
    doc: 'Rounded up to n digits after the point.',
    params: ['n = 0'],
    example: ['3.01 | ceil', 4],
    run: (v, [n]) => scaled(Math.ceil, v, n),
  },
  abs: {
    doc: 'Without its sign.',
    params: [],
    example: ['-3 | abs', 3],
    run: v => Math.abs(numberOf(v)),
  },
  clamp: {
    doc: 'No less than a and no more than b.',
    params: ['a', 'b'],
    example: ['120 | clamp(0, 100)', 100],
    run: (v, [a, b]) => Math.min(Math.max(numberOf(v), numberOf(a)), numberOf(b)),
  },
  format_number: {
    doc: 'As people write it, with so many digits after the point (as needed, up to 3, when not said), in a language.',
    params: ['digits?', "locale = 'en'"],
    example: ['1234567.891 | format_number(2)', '1,234,567.89'],
    run: (v, [digits, locale], fuel) => {
      fuel.spend(FORMATTER_COST)
      const count = digits === undefined || digits === null ? null : countOf(digits, 0, 20)
      const options = count === null ? {} : { minimumFractionDigits: count, maximumFractionDigits: count }
      return formatter(locale, options).format(numberOf(v))
    },
  },
  compact_number: {
    doc: 'Shortened as people write it in a language: 12K, 1.2万.',
    params: ["locale = 'en'"],
    example: ["12000 | compact_number('zh')", '1.2万'],
    run: (v, [locale], fuel) => {
      fuel.spend(FORMATTER_COST)
      return formatter(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(numberOf(v))
    },
  },
  percent: {
    doc: 'A share as a percentage with so many digits.',
    params: ['digits = 0'],
    example: ['0.256 | percent(1)', '25.6%'],
    run: (v, [digits]) => `${hundredfold(numberOf(v)).toFixed(countOf(digits, 0, 20))}%`,
  },
  format_bytes: {
    doc: 'A size in bytes as people read it, by steps of 1024.',
    params: [],
    example: ['1536 | format_bytes', '1.5 KB'],
    aliases: ['filesize'],
    run: v => bytesText(numberOf(v)),
  },
  min: {
    doc: 'The least number of a list, or of one field of its items; null when it is empty.',
    params: ['key?'],
    example: ['[3, 1, 2] | min', 1],
    run: (v, [key], fuel) => numbersOf(v, key, fuel).reduce<number | null>(lesser, null),
  },
  max: {
    doc: 'The greatest number of a list, or of one field of its items; null when it is empty.',
    params: ['key?'],
    example: ['[3, 1, 2] | max', 3],
    run: (v, [key], fuel) => numbersOf(v, key, fuel).reduce<number | null>(greater, null),
  },
  sum: {
    doc: 'The sum of a list, or of one field of its items.',
    params: ['key?'],
    example: ["[{ n: 1 }, { n: 2 }] | sum('n')", 3],
    run: (v, [key], fuel) => numbersOf(v, key, fuel).reduce((a, b) => a + b, 0),
  },
  avg: {
    doc: 'The mean of a list, or of one field of its items; null when it is empty.',
    params: ['key?'],
    example: ['[1, 2, 6] | avg', 3],
    aliases: ['mean'],
    run: (v, [key], fuel) => {
      const numbers = numbersOf(v, key, fuel)
      return numbers.length === 0 ? null : numbers.reduce((a, b) => a + b, 0) / numbers.length
    },
  },
}

const lesser = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b))
const greater = (a: number | null, b: number): number => (a === null ? b : Math.max(a, b))

/** Items that are null do not count. */
function numbersOf(value: unknown, key: unknown, fuel: Parameters<Filter['run']>[2]): number[] {
  const items = listOf(value, fuel, 5)
  const values = key === undefined ? items : items.map(item => fieldOf(item, text(key)))
  return values.filter(item => item !== null && item !== undefined).map(item => numberOf(item))
}

/** By way of text, so that 1.005 rounds as it reads and not as the float beside it. */
function scaled(round: (n: number) => number, value: unknown, digits: unknown): number {
  const number = numberOf(value)
  const places = Math.trunc(numberOf(digits))
  if (Math.abs(places) > 20) throw new Error(`${places} is not between -20 and 20`)
  const moved = Number(`${withExponent(number, places)}`)
  return Number.isFinite(moved) ? Number(withExponent(round(moved), -places)) : number
}

/** 0.285 is 28.5 %, and not what the float beside it is. */
const hundredfold = (share: number): number =>
  Number.isFinite(share) ? Number(withExponent(share, 2)) : share

function withExponent(number: number, by: number): string {
  const [mantissa = '0', exponent = '0'] = String(number).split('e')
  return `${mantissa}e${Number(exponent) + by}`
}

const formatters = new Map<string, Intl.NumberFormat>()

function formatter(locale: unknown, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const tag = locale === undefined ? 'en' : text(locale)
  const key = `${tag} ${JSON.stringify(options)}`
  const known = formatters.get(key)
  if (known !== undefined) return known
  if (formatters.size > 100) formatters.clear()
  const made = new Intl.NumberFormat(checkedLocale(tag), options)
  formatters.set(key, made)
  return made
}

export function checkedLocale(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? 'en'
  } catch {
    throw new Error(`"${quoted(tag)}" is not a language such as en or zh-CN`)
  }
}

const STEPS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
function bytesText(bytes: number): string {
  const rounded = (at: number): number => Number((bytes / 1024 ** at).toFixed(1))
  // By what is shown: 1023.99 KB is 1 MB.
  const at = STEPS.findIndex((_, step) => Math.abs(rounded(step)) < 1024)
  const step = at === -1 ? STEPS.length - 1 : at
  return `${rounded(step)} ${STEPS[step]}`
}

const UNITS: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
  t: 1e12,
  tn: 1e12,
  trillion: 1e12,
  千: 1e3,
  万: 1e4,
  萬: 1e4,
  만: 1e4,
  百万: 1e6,
  千万: 1e7,
  亿: 1e8,
  億: 1e8,
  억: 1e8,
  兆: 1e12,
  万亿: 1e12,
  '%': 0.01,
}
const AMOUNT = /([+-]?(?:\d[\d,_]*(?:\.\d+)?|\.\d+))\s*(%|\p{L}{0,8})/gu

/**
 * Units that follow one another add up: 1亿2000万; what stands apart, as in 3万-5万 or 3万 5条评论, does not. Other
 * signs around the number, such as currencies, are skipped.
 */
function readNumber(written: string): number {
  const amounts = amountsIn(written.slice(0, 200).normalize('NFKC').replaceAll('−', '-').toLowerCase())
  const [first] = amounts
  if (first === undefined) throw new Error(`"${quoted(written)}" is not a number`)
  let total = 0
  for (const [index, { number, isPart }] of amounts.entries()) {
    if (index > 0 && !isPart) break
    total += first.isNegative && index > 0 ? -number : number
  }
  return total
}

interface Amount {
  number: number
  isNegative: boolean
  /** Only Chinese numbers go on, unit by smaller unit: "3k 5 comments" is 3000. */
  isPart: boolean
}

function amountsIn(clean: string): Amount[] {
  let before = { end: -1, factor: 0 }
  return [...clean.matchAll(AMOUNT)].map(({ 0: all, 1: digits = '', 2: unit = '', index }) => {
    const factor = UNITS[unit] ?? UNITS[unit.slice(0, 2)] ?? UNITS[unit.slice(0, 1)]
    const isUnit = factor !== undefined && (UNITS[unit] !== undefined || /\p{Script=Han}/u.test(unit))
    const scale = isUnit ? factor : 1
    const gap = before.end === -1 ? '-' : clean.slice(before.end, index)
    const isSmaller = scale < before.factor && /^\d/.test(digits)
    const isPart = isSmaller && (gap === '' || (isUnit && gap.trim() === ''))
    // What is more than a unit, such as 万次, ends the number.
    const goesOn = isUnit && UNITS[unit] !== undefined && /\p{Script=Han}/u.test(unit)
    before = { end: index + all.length, factor: goesOn ? factor : 0 }
    const number = Number((Number(digits.replaceAll(/[,_]/g, '')) * scale).toPrecision(15))
    return { number, isNegative: digits.startsWith('-'), isPart }
  })
}
