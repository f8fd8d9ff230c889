import { join } from 'node:path'
import { deliveryOperations } from '../delivery/operations.ts'
import type { Kernel, Operation } from '../kernel/operation.ts'
import { openGoalStates } from '../state/goal-states.ts'
import type { Paths } from '../state/paths.ts'

/** Working on goals: the operation of it. The kernel is made after what this gives. */
export const openDelivery = (paths: Pick<Paths, 'home'>, kernel: () => Kernel): Operation[] =>
  deliveryOperations({ kernel, states: openGoalStates(join(paths.home, 'goals')) })
