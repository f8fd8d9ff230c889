import { Failure } from '../../shared/failures.ts'
import type { BuiltinCall } from '../kernel/operation.ts'
import type { DeviceCheck, DevicePrompt, Service } from '../ports/auth.ts'
import { type AuthParts, pause } from './parts.ts'

/** Begins a sign-in by code and answers what the person must do. */
export async function beginDeviceLogin(service: Service, parts: AuthParts, call: BuiltinCall) {
  const state = await parts.signIns.state(service.name)
  if (state.state === 'logged_in')
    return checkAnswer(service.name, await parts.signIns.check(service.name, call))
  const prompt = await parts.signIns.start(service, call)
  return { state: 'pending', ...prompt, next: nextOf(prompt) }
}

/** Waits until the person is done. Fails with auth_required when they refuse or the code expires. */
export async function waitForDevice(service: Service, parts: AuthParts, call: BuiltinCall) {
  const { name } = service
  for (;;) {
    const check = await checked(name, parts, call)
    if (check === null) {
      await pause(RETRY_MS, call)
      continue
    }
    if (check.state !== 'pending') {
      if (check.state === 'authorized') return checkAnswer(name, check)
      throw new Failure('auth_required', { site: name, reason: ENDS[check.state] })
    }
    const { user_code, verification_uri } = check.prompt
    call.progress(`enter ${user_code} at ${verification_uri}`)
    await pause(Math.max(1, check.retry_after_s) * 1000, call)
  }
}

const RETRY_MS = 5000
const ENDS = {
  denied: 'the person refused',
  expired: 'the code expired before anybody entered it',
  none: 'the sign-in was given up elsewhere',
} as const

/** Null when the service could not be asked just now: the code is still good. */
async function checked(service: string, parts: AuthParts, call: BuiltinCall): Promise<DeviceCheck | null> {
  try {
    return await parts.signIns.check(service, call)
  } catch (error) {
    if (Failure.is(error) && error.spec.retry && !call.signal.aborted) return null
    throw error
  }
}

/** How a sign-in stands, for an agent that goes on by it. */
export function checkAnswer(service: string, check: DeviceCheck): Record<string, unknown> {
  if (check.state === 'pending') {
    const { prompt, retry_after_s } = check
    return { state: 'pending', ...prompt, retry_after_s, next: nextOf(prompt) }
  }
  if (check.state === 'authorized')
    return { state: 'authorized', service, scopes: check.scopes, expires_at: isoOf(check.expires_at) }
  return { state: check.state, service, next: `unicli auth login ${service} --no-wait --json` }
}

const nextOf = ({ service, verification_uri, user_code }: DevicePrompt): string =>
  `Ask the person to open ${verification_uri} and enter ${user_code}; then: unicli auth check ${service} --json`

export const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
