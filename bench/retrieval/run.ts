/** Puts notes into a memory through the public API and asks it the questions, with each arm of the search alone and with both. */
import { Clock, Effect } from "effect"
import { Memory, Thought } from "cogito"
import { randomUUID } from "node:crypto"
import { BadData, type Data, type Note, notesOf, type Question } from "./data.ts"
import { depth } from "./metrics.ts"

/** How the memory is asked to rank; what is not said is its default. */
export interface Ranking {
  readonly fusion?: { readonly vectorWeight?: number; readonly lexicalWeight?: number }
  readonly [option: string]: unknown
}

export type Arm = "vector" | "lexical" | "fused"

/** What was found for a question: ids, best first, and what should have been. Equal notes go by the id of the first. */
export interface Answer {
  readonly question: Question
  readonly notes: Asked
  readonly tasks: Asked
}

interface Asked {
  readonly relevant: ReadonlySet<string>
  readonly found: Readonly<Partial<Record<Arm, ReadonlyArray<string>>>>
}

/** Runs a program at a moment; waiting takes the time it takes. */
const at =
  (millis: number) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (live) =>
      Effect.provideService(self, Clock.Clock, {
        currentTimeMillisUnsafe: () => millis,
        currentTimeMillis: Effect.succeed(millis),
        currentTimeNanosUnsafe: () => BigInt(millis) * 1_000_000n,
        currentTimeNanos: Effect.succeed(BigInt(millis) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: live.monotonicTimeNanos,
        sleep: (duration) => live.sleep(duration)
      })
    )

/** Stores the notes that a scope has, and gives for the id of each stored note the id in the file. */
const store = Effect.fnUntraced(function* (notes: ReadonlyArray<Note>, asked: number) {
  const memory = yield* Memory.Memory
  const ids = new Map<string, string>()
  for (const log of Map.groupBy(notes, ({ task, thought }) => JSON.stringify([task, thought])).values()) {
    const moments = log.map(({ occurredAt }) => (typeof occurredAt === "string" ? Date.parse(occurredAt) : asked))
    // the intent is the same for all, so that it gives no answer away
    let thought: Thought.Thought<any> = yield* at(moments[0]!)(Thought.make("keep notes", {}, { taskId: log[0]!.task }))
    for (const [i, note] of log.entries()) {
      thought = yield* at(moments[i]!)(Thought.append(thought, "note", note.text))
      ids.set(Thought.latest(thought)!.id, note.id)
    }
    yield* memory.commit(thought)
  }
  yield* memory.embedPending
  return ids
})

/** When the questions are asked: a day after the last note. */
const askedAt = Effect.fnUntraced(function* (notes: ReadonlyArray<Note>) {
  let last = Date.parse("2026-01-01")
  for (const { id, occurredAt } of notes) {
    if (typeof occurredAt !== "string") continue
    const millis = Date.parse(occurredAt)
    if (Number.isNaN(millis))
      return yield* new BadData({ message: `The note ${id} has an occurredAt that is no date.` })
    last = Math.max(last, millis)
  }
  return last + 86_400_000
})

/** Asks every question, in scopes that are new. Without an arm by words there is the arm by meaning alone. */
export const run = Effect.fnUntraced(function* (data: Data, questions: ReadonlyArray<Question>, ranking: Ranking = {}) {
  const prefix = `bench ${randomUUID()}`
  const memory = yield* Memory.Memory
  const moment = yield* askedAt(data.notes)
  const options: Readonly<Record<Arm, Ranking>> = {
    vector: { ...ranking, fusion: { ...ranking.fusion, lexicalWeight: 0 } },
    lexical: { ...ranking, fusion: { ...ranking.fusion, vectorWeight: 0 } },
    fused: ranking
  }
  const answers: Array<Answer> = []
  let hybrid = false
  for (const [scope, asked] of Map.groupBy(questions, ({ scope }) => scope)) {
    const notes = notesOf(data.notes, scope) ?? []
    const inScope = Memory.withScope(`${prefix} ${scope ?? ""}`)
    const ids = yield* inScope(store(notes, moment))
    const firstOf = new Map<string, string>()
    for (const { id, text } of notes) if (!firstOf.has(text)) firstOf.set(text, id)
    const equal = new Map(notes.map(({ id, text }) => [id, firstOf.get(text)!]))
    const taskOf = new Map(notes.map(({ id, task }) => [id, task]))

    for (const question of asked) {
      const found = {
        notes: {} as Partial<Record<Arm, Array<string>>>,
        tasks: {} as Partial<Record<Arm, Array<string>>>
      }
      for (const arm of ["vector", "lexical", "fused"] as const) {
        const asking = { limit: depth, ...options[arm] }
        const { arms, matches } = yield* inScope(at(moment)(memory.search(question.text, asking)))
        const { tasks } = yield* inScope(at(moment)(memory.survey(question.text, asking)))
        if (arms.pending > 0) return yield* new BadData({ message: `${arms.pending} notes could not be embedded.` })
        hybrid ||= arms.lexical === "ok"
        found.notes[arm] = matches.map(({ note }) => equal.get(ids.get(note.id)!)!)
        found.tasks[arm] = tasks.map(({ taskId }) => taskId)
      }
      answers.push({
        question,
        notes: { relevant: new Set(question.relevant.map((id) => equal.get(id)!)), found: found.notes },
        tasks: {
          relevant: new Set(question.relevantTasks ?? question.relevant.map((id) => taskOf.get(id)!)),
          found: found.tasks
        }
      })
    }
  }
  return hybrid ? answers : answers.map(byMeaning)
})

const byMeaning = ({ notes, question, tasks }: Answer): Answer => {
  const only = ({ found: { vector = [] }, relevant }: Asked): Asked => ({ relevant, found: { vector } })
  return { question, notes: only(notes), tasks: only(tasks) }
}
