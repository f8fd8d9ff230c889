import { expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { Rates } from './rates.ts'

const until = (deadline: number, signal = new AbortController().signal) => ({ signal, deadline })
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'went',
    (error: unknown) => (Failure.is(error) ? error : Promise.reject(error)),
  )

it('lets a burst through, then refuses what cannot have its turn before the deadline', async () => {
  const rates = new Rates(() => 1_000_000)
  const pace = { name: 'demo.example', perMinute: 60, burst: 2 }
  await rates.take(pace, until(1_000_000))
  await rates.take(pace, until(1_000_000))
  const refused = await codeOf(rates.take(pace, until(1_000_500)))
  expect(refused).toMatchObject({ code: 'rate_limited', params: { site: 'demo.example', retry_after_s: 1 } })
})

it('gives a token back for every interval that passes', async () => {
  let now = 0
  const rates = new Rates(() => now)
  const pace = { name: 'a', perMinute: 60, burst: 1 }
  await rates.take(pace, until(0))
  now = 999
  expect(await codeOf(rates.take(pace, until(999)))).toMatchObject({ code: 'rate_limited' })
  now = 1000
  await rates.take(pace, until(1000))
})

it('makes those who wait go one after the other', async () => {
  const rates = new Rates()
  const pace = { name: 'a', perMinute: 6000, burst: 1 }
  const order: number[] = []
  const far = until(Number.POSITIVE_INFINITY)
  const begun = Date.now()
  await Promise.all([0, 1, 2, 3].map(n => rates.take(pace, far).then(() => order.push(n))))
  expect(order).toEqual([0, 1, 2, 3])
  expect(Date.now() - begun).toBeGreaterThanOrEqual(28)
})

it('counts names apart and takes a sixth of a minute at once when nothing is said', async () => {
  const rates = new Rates(() => 0)
  for (let n = 0; n < 10; n++) await rates.take({ name: 'a', perMinute: 60 }, until(0))
  expect(await codeOf(rates.take({ name: 'a', perMinute: 60 }, until(0)))).toMatchObject({
    code: 'rate_limited',
  })
  await rates.take({ name: 'b', perMinute: 60 }, until(0))
})

it('ends a wait with the reason of the abort', async () => {
  const rates = new Rates()
  const abort = new AbortController()
  const pace = { name: 'a', perMinute: 1 }
  const far = until(Number.POSITIVE_INFINITY, abort.signal)
  await rates.take(pace, far)
  const waiting = codeOf(rates.take(pace, far))
  abort.abort(new Failure('cancelled', { by: 'client' }))
  expect(await waiting).toMatchObject({ code: 'cancelled' })
})
