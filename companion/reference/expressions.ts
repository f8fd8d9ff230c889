import { FILTER_FAMILIES } from '../kernel/filters.ts'
import { code, page, table } from './page.ts'

export const expressionsPage = (): string =>
  page(
    'Expressions',
    'What stands inside `${{ }}` in a template, and bare in options of the type `expression`. A template that is the ' +
      'whole value keeps the type of its expression; within text it becomes text. An expression sees plain data and ' +
      'nothing else: own fields, never a prototype, a function or a global. A mistake names the character where it is.',
    '## Names',
    table(
      ['name', ''],
      [
        [code('args'), 'the arguments of the operation'],
        [code('data'), 'the answer of the step before'],
        [code('item'), 'the row, in steps that go through rows; `index` is its number, from 0'],
        [code('vars'), 'what `set` has kept'],
        [code('base'), "the adapter's `base`, or the person's own for the site"],
        [code('env'), 'variables of the environment that the adapter declares under `env`, and no other'],
      ],
    ),
    '## Operators',
    'From the one that binds most to the one that binds least:',
    table(
      ['', ''],
      [
        [
          code("a.b  a['b']  a[0]  a[-1]  a?.b"),
          'a field; null when it is missing; `?.` when `a` may be null',
        ],
        [code('!a  -a  +a'), 'not, minus, as a number; an empty list is false'],
        [code('a * b  a / b  a % b'), ''],
        [code('a + b  a - b'), '`+` adds two numbers, and joins as text otherwise'],
        [code('a ?? b'), '`b` when `a` is null'],
        [code('a | filter(b)'), 'a filter: the list is below'],
        [code('a < b  a <= b  a > b  a >= b'), 'numbers, or two texts; never true of null'],
        [code('a == b  a != b'), 'the same value of the same type'],
        [code('a && b'), ''],
        [code('a || b'), ''],
        [code('a ? b : c'), ''],
      ],
    ),
    'Also: texts in single or double quotes, numbers, `true`, `false`, `null`, lists `[a, b]`, objects `{ a: b, [c]: d }`.',
    'Patterns are regular expressions as RE2 has them, without lookaround and backreferences: they take time linear in ' +
      'the text. What one evaluation may cost is bounded, in proportion to the data that it sees.',
    ...Object.entries(FILTER_FAMILIES).flatMap(([family, filters]) => [
      `## ${family}`,
      table(
        ['filter', '', 'example'],
        Object.entries(filters).map(([name, { doc, params, aliases = [], example }]) => [
          [
            code(params.length > 0 ? `${name}(${params.join(', ')})` : name),
            ...(aliases.length > 0 ? [`also ${aliases.map(code).join(', ')}`] : []),
          ].join('; '),
          doc,
          `${code(example[0])} is ${code(JSON.stringify(example[1]))}`,
        ]),
      ),
    ]),
  )
