import { Schema } from "effect"
import { Note, Pipeline, Primitive, Step, type Thought } from "cogito"
import { same } from "./same.ts"

// Functions of steps may be async: the value is that of the promise, and a rejection is an `Error`.

const message = Note.handle("message", Schema.String)

const counted = Step.make("counted", {
  schema: Schema.Finite,
  run: async (thought: Thought.Thought<{ readonly message: string }>, { signal }) => {
    signal.throwIfAborted()
    return thought.get("message").length
  }
})
same<typeof counted, Step.Keyed<"counted", number, { readonly message: string }, Error>>(true)

const read = Step.make("read", { schema: Schema.Finite, run: Note.from(message, async (text) => text.length) })
same<typeof read, Step.Keyed<"read", number, { readonly message: string }, Error>>(true)

const both = Note.from({ message, counted }, async ({ counted, message }, { signal }) => [
  counted,
  message,
  signal.aborted
])
same<
  typeof both,
  Note.Reader<{ readonly counted: number; readonly message: string }, Array<string | number | boolean>, Error>
>(true)

const mode = Step.make("mode", {
  schema: Schema.Literals(["on", "off"]),
  run: async (thought) => (thought.length > 1 ? "on" : "off")
})
same<typeof mode, Step.Keyed<"mode", "on" | "off", {}, Error>>(true)

const aside = Step.make("aside", { run: async () => {} })
same<typeof aside, Step.Step<{}, {}, Error>>(true)

// @ts-expect-error is not assignable to type
Step.make("counted", { schema: Schema.Finite, run: async () => "many" })

const filtered = Pipeline.filter("long", { when: async (thought) => thought.length > 1, step: aside })
same<typeof filtered, Step.Step<{}, {}, Error>>(true)
// @ts-expect-error is not assignable to type
Pipeline.filter("long", { when: async () => "yes", step: aside })

const plain = Step.make("plain", { schema: Schema.Finite, run: () => 1 })
const when = plain.pipe(Step.when("high", async (thought) => thought.get("plain") > 1, plain))
same<typeof when, Step.Step<{}, { readonly plain: number }, Error>>(true)

const gate = Pipeline.gate("open", { check: async (thought) => (thought.length > 1 ? "pass" : "fail") })
same<typeof gate, Step.Step<{}, {}, Error | Pipeline.GateClosed>>(true)
const skipping = Pipeline.gate("open", { check: async (): Promise<"pass"> => "pass" })
same<typeof skipping, Step.Step<{}, {}, Error>>(true)

const switched = Pipeline.switch("way", {
  on: async (): Promise<"a" | "b"> => "a",
  branches: { a: plain, b: plain }
})
same<typeof switched, Step.Step<{}, { readonly plain: number }, Error>>(true)
Pipeline.switch("way", {
  on: async (): Promise<"a" | "b"> => "a",
  // @ts-expect-error a label has no branch
  branches: { a: plain }
})

const accepted = Pipeline.fallback("one", [plain, plain], { accept: async (thought) => thought.get("plain") > 1 })
const kept: Step.Step<{}, { readonly plain: number }, Error> = accepted
void kept
const contested = Pipeline.contest("one", [plain], { accept: async (thought) => thought.get("plain") > 1 })
const won: Step.Step<{}, { readonly plain: number }, Error | Pipeline.NoneAccepted> = contested
void won

const once = Step.once("mail", async (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message"))
same<typeof once, Step.Step<{ readonly message: string }, {}>>(true)
// @ts-expect-error is not assignable to
Step.once("mail", Promise.resolve(1))

const asked = Primitive.decide("asked", { question: Note.from(message, async (text) => `Is it? ${text}`) })
same<Step.In<typeof asked>, { readonly message: string }>(true)
