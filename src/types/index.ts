/**
 * Types in the signatures of the core that programs rarely write: what several functions share, and what the compiler works
 * out from steps and notes. Declaration files that the compiler writes of your modules may name them.
 */

// ------------------------------------------------------------------------------------------------- notes and thoughts

export type { Difference } from "../thought/diff.ts"
export type { ForkOptions } from "../thought/fork.ts"
export type { Log } from "../thought/Note.ts"
export type { Failing, Interruptible, Needing, Settled } from "../thought/settled.ts"
export type { Alone, Both, Merge, Missing, NotEmpty, Read, Reads, Texts, Writes } from "../thought/types.ts"

// -------------------------------------------------------------------------------------------------------------- steps

export type { Source } from "../limits/budget/inForce.ts"
export type { BudgetAmounts, BudgetLimits, BudgetOptions } from "../limits/budget/limits.ts"
export type { RateLimitOptions } from "../limits/Bucket.ts"
export type { BackoffOptions, ScheduledOptions } from "../step/backoff.ts"
export type { EnrichOptions } from "../step/enrich.ts"
export type { Handler } from "../step/handle.ts"
export type { RetryOptions } from "../step/retry.ts"
export type { Branches, Conflicts, Defined, Mergeable, Merged, StepsOf, Unshared } from "../step/runtime/branches.ts"
export type { BranchFailure } from "../step/runtime/BranchesFailed.ts"
export type { Known, NameOption, Wrapped } from "../step/runtime/make.ts"
export type { Layout, Shown, Shows } from "../step/runtime/model.ts"
export type { Undecided } from "../step/runtime/route.ts"
export type { Anything, NoPromise } from "../step/runtime/runnable.ts"

// ----------------------------------------------------------------------------------------- providers and single calls

export type { Sent } from "../provider/request.ts"
export type { Parts } from "../provider/Shape.ts"
export type { Exchange } from "../provider/resumable/Protocol.ts"
export type { Connections } from "../provider/resumable/resumable.ts"
export type { LayerOf } from "../provider/resilience/alternatives.ts"
export type { HedgeOptions } from "../provider/resilience/hedge.ts"
export type { AnalyzeDetails } from "../synapse/analyze.ts"
export type { Categories, CategoryExamples } from "../synapse/classification.ts"
export type { ConvertDetails } from "../synapse/convert.ts"
export type { RankingDetails, RankingInput } from "../synapse/ranking.ts"
export type { SentimentDetails } from "../synapse/sentiment.ts"
export type { TransformDetails } from "../synapse/transform.ts"

// --------------------------------------------------------------------------------------------------------- primitives

export type { Summarize } from "../primitive/reasoning/found.ts"
export type { Items } from "../primitive/reasoning/items.ts"
export type { SummaryOptions } from "../primitive/reasoning/summary.ts"

// --------------------------------------------------------------------------------------------------------------- runs

export type { Compared } from "../pipeline/durable/compare.ts"
export type { RunError } from "../pipeline/durable/errors.ts"
export type { Ask } from "../pipeline/gen.ts"
export type { PromiseOptions } from "../pipeline/run/promised.ts"
export type { Services } from "../pipeline/run/services.ts"
export type { Fitting, Start, Startable } from "../pipeline/run/starting.ts"
export type { Unwrapped } from "../pipeline/run/wrap.ts"
export type { SequenceIn, SequenceOut } from "../pipeline/sequence.ts"
export type { Event } from "../pipeline/stream.ts"
export type { Of } from "../signal/Signal.ts"

// --------------------------------------------------------------------------------------------------------- the memory

export type { EmbedderChange, EmbedderOptions, WordsOnly } from "../memory/model/EmbedderChange.ts"
export type {
  CallRow,
  Claiming,
  Lease,
  LedgerRows,
  Position,
  RunRow,
  RunSketch,
  RunsQuery,
  RunStatus,
  StepRow,
  StoredRun,
  WaitRow
} from "../memory/model/Ledger.ts"
export type { LedgerShape } from "../memory/model/LedgerShape.ts"
export type { Arms } from "../memory/model/Search.ts"
