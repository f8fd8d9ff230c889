import { expect, test } from 'vitest'
import { drawableOf } from './screenshot.ts'

test.each([
  [1280, 9000, 1, 1280, 9000],
  [1280, 90_000, 1, 1280, 16_000],
  [20_000, 60_000, 1, 16_000, 2500],
  [4000, 8000, 2, 4000, 2500],
])('of %i by %i at %i there are drawn %i by %i', (width, height, ratio, ...drawn) => {
  expect(Object.values(drawableOf({ width, height }, ratio))).toEqual(drawn)
})
