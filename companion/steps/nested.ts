import { z } from 'zod'

/** Options of steps that run other steps. */
export const Pipeline = z.array(z.unknown()).meta({ plan: true })
/** One that changes nothing. */
export const ReadPipeline = z.array(z.unknown()).meta({ plan: true, reads: true })
export const PipelinesByName = z.record(z.string(), z.array(z.unknown())).meta({ plans: true })
export const Pipelines = z.array(z.array(z.unknown())).min(1).meta({ plans: true })
export const Expression = z.string().min(1).meta({ expression: true })
