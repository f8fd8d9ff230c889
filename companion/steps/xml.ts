import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { textOf } from './fields.ts'

const LIBRARY =
  '<library xmlns="urn:l"><book id="1"><title>桥</title></book><book id="2"><title>Roads</title></book></library>'

const ParseXml = z.strictObject({
  lists: z
    .array(z.string().min(1))
    .default([])
    .describe('elements that are always a list, even where there is one only'),
})

export const parseXml = defineStep({
  name: 'parse_xml',
  doc: 'Turn XML into objects: an attribute is @name, text beside others is #text, repeated elements are a list.',
  needs: [],
  effect: 'pure',
  schema: ParseXml,
  example: { lists: ['book'] },
  exampleInput: '<library><book id="1"><title>桥</title></book></library>',
  exampleOutput: { library: { book: [{ '@id': '1', title: '桥' }] } },
  run: async ({ data }, { lists }) => {
    const { xmlToValue } = await import('./xml-reader.ts')
    return xmlToValue(textOf(data, 'parse_xml'), lists)
  },
})

const SelectXml = z.strictObject({
  xpath: z.string().min(1).describe('XPath 1.0, such as //l:book/@id'),
  namespaces: z.record(z.string(), z.string().min(1)).default({}).describe('prefix: address, for the XPath'),
  single: z.boolean().default(false).describe('give the first match alone; fails when there is none'),
  raw: z.boolean().default(false).describe('give elements as XML, not as their text'),
})

export const selectXml = defineStep({
  name: 'select_xml',
  aliases: ['select-xml'],
  doc: 'Give what an XPath finds in XML: the text of elements and attributes as a list, or a number, text or truth value.',
  needs: [],
  effect: 'pure',
  schema: z.union([
    z
      .string()
      .min(1)
      .transform(xpath => SelectXml.parse({ xpath })),
    SelectXml,
  ]),
  example: { xpath: '//l:book[@id > 1]/l:title', namespaces: { l: 'urn:l' } },
  exampleInput: LIBRARY,
  exampleOutput: ['Roads'],
  run: async ({ data }, params) => {
    const { evaluateXpath } = await import('./xml-reader.ts')
    const values = evaluateXpath(textOf(data, 'select_xml'), params.xpath, params)
    if (!Array.isArray(values) || !params.single) return values
    if (values[0] === undefined)
      throw new Failure('select_missed', { path: params.xpath, at: params.xpath, keys: [] })
    return values[0]
  },
})
