/**
 * A job, which is all tickets of one command, as a durable run: its only step handles the tickets, each of which is a durable run
 * of its own. A job that was stopped in between is known by its command, and goes on.
 */
import { Effect } from "effect"
import { type Memory, Pipeline, Step, Thought } from "cogito"
import { createHash } from "node:crypto"
import type * as Options from "./options.ts"

/** A job: when it began, which names it and its tickets, and whether that was in an earlier process. */
export interface Job {
  readonly id: string
  readonly name: string
  readonly isResumed: boolean
}

/** What makes a command the same: all that it says, but no key and not how it prints. */
const nameOf = ({ file, limit, model, record }: Options.Job): string => {
  const { _tag, baseUrl, model: which, path } = { baseUrl: "", model: "", path: "", ...model }
  const command = JSON.stringify([_tag, which, baseUrl, path, record, file, String(limit)])
  return `tickets ${createHash("sha256").update(command).digest("hex").slice(0, 12)}`
}

/** The newest job of this command that has not ended well, or a new one. Standard input is not there a second time. */
export const find = Effect.fnUntraced(function* (options: Options.Job, millis: number) {
  const name = nameOf(options)
  const fresh: Job = { id: millis.toString(36), name, isResumed: false }
  if (options.file?.path === "-") return fresh
  const statuses = ["running", "interrupted", "failed"] as const
  const runs = yield* Effect.forEach(statuses, (status) => Pipeline.runs({ status, limit: 500 }))
  const [last] = runs
    .flat()
    .filter(({ pipeline }) => pipeline === name)
    .toSorted((a, b) => b.createdMillis - a.createdMillis)
  return last === undefined ? fresh : { id: last.id, name, isResumed: true }
})

/** Handles the tickets of a job. Nothing of the effect itself is kept: what it asks is in the runs of the tickets. */
export const run = <E, R>({ id, isResumed, name }: Job, tickets: Effect.Effect<void, E, R>) => {
  const job = Step.make(name, { run: tickets })
  const begun: Effect.Effect<
    unknown,
    Effect.Error<ReturnType<typeof Pipeline.resume<Step.Step<{}, {}, E, R>>>>,
    R | Memory.Memory
  > = isResumed
    ? Pipeline.resume(job, id)
    : Effect.flatMap(Thought.make("triage tickets", {}, { traceId: `job-${id}` }), (thought) =>
        Pipeline.run(job, thought, { durable: { id } })
      )
  return begun
}
