import { describe, expect, test } from 'vitest'
import { cut, distance, shorten, tidy, withoutIcons, withoutRefs } from './text.ts'

describe('text for an agent', () => {
  test('is one line without white space at its ends', () => {
    expect(tidy('  a \n\t b\u00a0c\u200b ')).toBe('a b c')
  })

  test('is never cut within a character', () => {
    expect(cut('ab😀cd', 3)).toBe('ab… (+4 characters)')
    expect(shorten('ab😀cd', 4)).toBe('ab…')
    expect(shorten('short', 5)).toBe('short')
  })

  test('holds neither pictures of icon fonts nor what could pass for a ref', () => {
    expect(withoutIcons('\ue900Save\u{f0001}')).toBe('Save')
    expect(withoutRefs('press [d1e4] and [data]')).toBe('press (d1e4) and [data]')
  })

  test('is the nearer the fewer letters differ', () => {
    expect(distance('Save', 'save')).toBe(0)
    expect(distance('Sav', 'Save all')).toBeLessThan(distance('Sav', 'Cancel'))
    expect(distance('Svae', 'Save')).toBeLessThan(distance('Svae', 'Send'))
  })
})
