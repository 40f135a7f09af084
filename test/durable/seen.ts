/** What can be seen of a run: how it ended, and what it has left. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Memory, type Note, Pipeline, Session, type Store, Thought } from "cogito"

const noteOf = ({ created: _created, ...note }: Note.Note) => note

/** A thought as it can be seen, with the values of its notes where it is typed. */
const seen = (thought: Thought.Thought<any>, typed: boolean) => {
  const notes = Thought.notes(thought)
  const { id, intent, parent, session, taskId, traceId } = thought
  const values = typed ? Object.fromEntries(notes.map(({ key }) => [key, thought.get(key)])) : {}
  return {
    id,
    intent,
    traceId,
    taskId,
    parent,
    notes: notes.map(noteOf),
    entries: Session.entries(session),
    usage: session.usage,
    next: session.nextIndex,
    values
  }
}

/** Ids that programs have made are another in each process. */
export const plain = (value: unknown): unknown => {
  const names = new Map<string, string>()
  const text = JSON.stringify(value).replaceAll(/00000000-0000-7000-8\d{3}-[0-9a-f]{12}/g, (id) => {
    const name = names.get(id) ?? `id ${names.size + 1}`
    names.set(id, name)
    return name
  })
  return JSON.parse(text)
}

/** What thoughts say, in an order that does not hang on their ids. */
export const withoutIds = (thoughts: ReadonlyArray<ReturnType<typeof seen>>): unknown =>
  thoughts
    .map(({ entries, intent, notes }) => ({
      intent,
      notes: notes.map(({ content, key, seq, source, step, trust }) => [seq, key, content, source, step, trust]),
      entries: entries.map(({ carries, covers, index, role }) => [index, role, carries.length, covers.length])
    }))
    .map((one) => JSON.stringify(one))
    .toSorted()

export const ended = (exit: Exit.Exit<Thought.Thought<any>, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return seen(exit.value, true)
  const error = Cause.squash(exit.cause)
  if (!(error instanceof Pipeline.PipelineError)) return Cause.pretty(exit.cause)
  const { cause, path, thought } = error
  return { path, cause: String(cause), thought: thought === undefined ? undefined : seen(thought, true) }
}

/**
 * What a ledger says of steps, calls and waits, whoever has executed them. What was cut short may have begun or not, and an effect that is
 * not to be repeated may have begun without an end. */
const linesOf = ({ calls, run, steps, waits }: Store.Ledger.StoredRun): ReadonlyArray<string> =>
  [
    ...steps
      .filter(({ outcome }) => outcome === "completed" || outcome === "committed" || outcome === "failed")
      .map(({ error, frame, kind, outcome, position }) => [frame, kind, outcome, position, error]),
    ...calls
      .filter(({ kind, state }) => (state === "answered" || state === "failed") && kind !== "once")
      // what attempts that came to nothing may have used counts too
      .map(({ frame, hash, kind, model, n, response, state }) => [frame, n, kind, state, hash, response, model]),
    ...waits.map(({ answer, answeredBy, bound, frame, key, prompt }) => [frame, key, prompt, bound, answer, answeredBy])
  ].map((line) => `${run.parent === undefined ? run.id : "background"} ${JSON.stringify(line)}`)

/** Everything that is in a store. */
export const stored = (store: Store.Store) =>
  Effect.gen(function* () {
    const memory = yield* Memory.make({ store, scope: "local", embedder: "none" })
    const rows = yield* store.thoughts("local", { limit: 100 } as never)
    const thoughts = yield* Effect.forEach(rows, ({ id }) => memory.load(id))
    const runs = yield* store.ledger.runs("local", { limit: 100 })
    const ledgers = yield* Effect.forEach(runs, (run) => store.ledger.load("local", run.id))
    return {
      ledger: ledgers.flatMap((ledger) => (ledger === undefined ? [] : linesOf(ledger))).toSorted(),
      thoughts: thoughts.map((thought) => seen(thought, false)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      runs: runs.map(({ end, fork, id, parent, pipeline, start, status }) => ({
        end,
        fork,
        id,
        parent,
        pipeline,
        start,
        status
      }))
    }
  }).pipe(Effect.scoped)

/** Everything that a store says of what it has, as JSON. */
export const rowsOf = (store: Store.Store): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const runs = yield* store.ledger.runs("local", { limit: 500 })
    const ledgers = yield* Effect.forEach(runs, ({ id }) => store.ledger.load("local", id))
    const thoughts = yield* store.thoughts("local", { limit: 100 } as never)
    const histories = yield* Effect.forEach(thoughts, ({ id }) => store.history("local", id))
    return [...ledgers, ...histories].map((one) => JSON.stringify(one))
  }).pipe(Effect.orDie)
