import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Note, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { transcribe } from "../transcript.ts"

const count = Note.handle("count", Schema.Finite)
const placed = Note.handle("placed", Schema.DateTimeUtcFromString)

const drafts = {
  message: "I was charged twice",
  order: { content: "two lamps", metadata: { zone: "b", area: "a" }, source: "shop", trust: "trusted" },
  remark: { content: "call first", source: "caller" },
  empty: { content: "", trust: "untrusted" }
} as const

const full = Thought.make("triage a ticket", drafts, { traceId: "trace-9", taskId: "task-7" })

it.effect("what a thought shows of itself", () =>
  transcribe("thought", {
    "Without notes": Thought.make("nothing yet"),
    "With notes of every kind, a trace and a task": full,
    "All notes trusted unless they say otherwise": Thought.make("triage", drafts, { trust: "trusted" }),
    "Under a parent, whose notes it does not share": Effect.gen(function* () {
      return yield* Thought.make("child", { own: "mine" }, { parent: yield* full })
    }),
    "With appended and written notes": Effect.gen(function* () {
      const first = yield* full
      const [message, order] = Thought.notes(first)
      const appended = yield* Thought.append(first, "channel", {
        content: "e-mail",
        metadata: { lang: "de" },
        source: "gateway",
        trust: "trusted",
        derivedFrom: [order!.id, message!.id]
      })
      const plain = yield* Thought.append(appended, "message", "It was three times")
      return yield* Thought.write(plain, count, 3, {
        metadata: { unit: "charges" },
        source: "counter",
        trust: "trusted",
        derivedFrom: [message!.id]
      })
    }),
    "A value that does not fit its handle": Effect.flatMap(full, (thought) => Thought.write(thought, count, Infinity)),
    "A note that is not there": Effect.flatMap(full, (thought) => Thought.read(thought, placed)),
    "Two drafts in one key": Effect.gen(function* () {
      const first = yield* full
      const again = yield* Thought.write(first, count, 2)
      const thrice = yield* Thought.write(again, count, 3)
      return {
        value: thrice.get("count"),
        read: yield* Thought.read(thrice, count),
        note: Thought.note(thrice, "count"),
        latest: Thought.latest(thrice),
        history: Thought.history(thrice, "count").map(({ seq }) => seq),
        current: Thought.current(thrice).map(({ key, seq }) => `${key} ${seq}`)
      }
    })
  }).pipe(Effect.provide(Testing.ids))
)
