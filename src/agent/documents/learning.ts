/** How documents are brought up to date: in the background, after the answer is stored. */
import * as Effect from "effect/Effect"
import { needed } from "../../arguments/needed.ts"
import { Supervisor } from "../../Pipeline.ts"
import type { Shape } from "../../provider/Shape.ts"
import { afterCommit, begin, changed, Run } from "../../run/run.ts"
import { Watching } from "../../synapse/call.ts"
import { IdSource } from "../../thought/ids.ts"
import type { Thought } from "../../thought/model.ts"
import type * as Note from "../../thought/Note.ts"
import * as Thoughts from "../../thought/Thought.ts"
import { toolSource } from "../calls/conversation.ts"
import type { AnyDocument } from "../model/Document.ts"
import { Listening } from "../model/events.ts"
import type { Settings, Working } from "../model/settings.ts"
import {
  appendTo,
  claim,
  loadIfThere,
  release,
  type Turn,
  type Standing,
  standing,
  through,
  writeDown
} from "./diary.ts"
import { type Content, merged } from "./fields.ts"
import { orderIn, orderMetadata } from "./order.ts"
import { traceIdIn } from "./reading.ts"
import { shownOf, synthesized } from "./synthesis.ts"

/** How long a model may take. */
const patience = "1 minute"

/** The thought, after whose storing its documents are brought up to date. */
export const learningAfter = Effect.fnUntraced(function* (
  { documents, handle }: Settings,
  provider: Shape,
  thought: Thought<any>,
  { calls, rounds }: Pick<Turn, "calls" | "rounds">
): Working<Thought<any>> {
  const about = documents.flatMap((document) => {
    const traceId = traceIdIn(document, thought)
    return traceId === undefined ? [] : [{ document, traceId }]
  })
  if (about.length === 0) return thought
  const start = (stored: Thought<any>) =>
    Effect.gen(function* () {
      const { start } = yield* needed(Supervisor)
      const turn = {
        thoughtId: stored.id,
        from: stored.note("message")?.seq ?? stored.length,
        to: stored.length,
        answer: handle.key,
        rounds,
        calls
      }
      yield* start(
        Effect.forEach(
          about,
          ({ document, traceId }) => apart(document.key, learn(document, traceId, stored.taskId, turn, provider)),
          { concurrency: "unbounded", discard: true }
        ).pipe(Effect.interruptible)
      )
    })
  return yield* afterCommit(thought, start, { interruptible: false })
})

/** Runs something that is no part of the run any more: what it does is neither recorded nor heard, and how it fails is logged. */
const apart = <E extends Error, R>(name: string, self: Effect.Effect<void, E, R>): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const run = yield* Run
    const ids = run.journal?.foreignIds ?? (yield* IdSource)
    const own = changed(begin(Effect.succeed, run), { path: [...run.path, name] })
    yield* self.pipe(
      Effect.provideService(Run, own),
      Effect.provideService(IdSource, ids),
      Effect.provideService(Listening, undefined),
      Effect.provideService(Watching, undefined),
      Effect.catch((error) => Effect.logWarning(`The document ${name} was not brought up to date: ${error.message}`)),
      // the other documents are brought up to date all the same
      Effect.catchDefect((defect) => Effect.logWarning(`The document ${name} was not brought up to date.`, defect))
    )
  })

const learn = Effect.fnUntraced(function* (
  document: AnyDocument,
  traceId: string,
  taskId: string | undefined,
  turn: Turn,
  provider: Shape
) {
  yield* writeDown(document, traceId, turn)
  const found = yield* standing(document, traceId)
  if (!found.isDue || found.claim !== undefined) return
  const own = yield* claim(document, traceId)
  // others may have begun at the same time, or have ended
  const due = yield* standing(document, traceId)
  if (!due.isDue || due.claim?.id !== own?.id) return
  const place = { traceId, ...(document.of === "task" && taskId !== undefined && { taskId }) }
  yield* Effect.timeout(synthesize(document, place, due, provider), patience)
  yield* release(document, traceId, due.until)
})

const synthesize = Effect.fnUntraced(function* (
  document: AnyDocument,
  place: { readonly traceId: string; readonly taskId?: string },
  { open, thought, until }: Standing,
  provider: Shape
) {
  const { traceId } = place
  const { notes, tainted } = shownOf(document, traceId, yield* loaded(open))
  const before = thought?.note(document.key)
  const asker = document.provider ?? provider
  // of what was redacted or removed meanwhile, there is nothing to learn
  const { model, value: changes } =
    notes.length === 0 ? { model: asker.model, value: {} } : yield* synthesized(asker, document, thought, before, notes)
  // somebody else may have written to it in the meantime
  const now = yield* loadIfThere({ traceId })
  const newest = now?.note(document.key)
  // every document has fields of these kinds
  const handle = document as Note.Handle<string, Content>
  const content = now === undefined || newest === undefined ? {} : yield* Thoughts.read(now, handle)
  const isTainted = tainted || newest?.source === toolSource || before?.source === toolSource
  const { content: next, order } = merged(document.fields, { content, order: orderIn(newest) }, changes)
  const from = [newest, before, ...notes].flatMap((note) => (note === undefined ? [] : [note.id]))
  yield* appendTo(document.key, place, {
    key: document.key,
    content: JSON.stringify(next),
    source: isTainted ? toolSource : "agent",
    derivedFrom: [...new Set(from)],
    metadata: { ...orderMetadata(order), [through]: String(until), provider: asker.name, model }
  })
})

/** The thoughts of the runs, each once, without those that are gone. */
const loaded = Effect.fnUntraced(function* (open: ReadonlyArray<Turn>) {
  const thoughts = new Map<string, Thought<any>>()
  for (const { thoughtId } of open) {
    if (thoughts.has(thoughtId)) continue
    const thought = yield* loadIfThere(thoughtId)
    if (thought !== undefined) thoughts.set(thoughtId, thought)
  }
  return open.flatMap((turn) => {
    const thought = thoughts.get(turn.thoughtId)
    return thought === undefined ? [] : [{ turn, thought }]
  })
})
