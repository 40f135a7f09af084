import { type Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, type Synapse, Thought } from "cogito"
import { type Clash, same } from "./same.ts"

// What is known of keys that are not known, or only in part.

declare const name: string
declare const sure: boolean
declare const begun: Thought.Thought<{ readonly message: string }>
const message = Note.handle("message", Schema.String)
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })

// A key of type `string` says nothing of other keys.
const any = Step.make(name, { schema: Schema.Boolean, run: () => true })
same<typeof any, Step.Keyed<string, boolean, {}>>(true)
const row = Pipeline.sequence("row", [size, any, Primitive.decide(name, { question: "Well?" })])
same<Step.Out<typeof row>, { readonly size: number }>(true)
same<Step.In<typeof row>, { readonly message: string }>(true)
const ran = Pipeline.run(row, begun)
same<Effect.Success<typeof ran>, Thought.Thought<{ readonly message: string; readonly size: number }>>(true)
const piped = size.pipe(
  Step.andThen(any),
  Step.when("if", () => true, any)
)
same<Step.Out<typeof piped>, { readonly size: number }>(true)
const branches = Pipeline.concurrent("both", [size, any], { conflicts: "last" })
same<Step.Out<typeof branches>, { readonly size: number }>(true)
const chosen = Pipeline.race("first", [size, any])
same<Step.Out<typeof chosen>, { readonly size?: number }>(true)
const patterned = Step.make(`note_${name}`, { schema: Schema.Boolean, run: () => true })
same<typeof patterned, Step.Keyed<`note_${string}`, boolean, {}>>(true)
const onlyPatterned = Pipeline.sequence("only", [patterned])
same<typeof onlyPatterned, Step.Step<{}, {}>>(true)
const reading = Step.make("read", { schema: Schema.Finite, run: Note.from(Note.handle(name, Schema.Finite), (n) => n) })
same<typeof reading, Step.Keyed<"read", number, {}>>(true)
const changed = Pipeline.mutate("more", { note: Note.handle(name, Schema.Finite), update: (n) => n + 1 })
same<typeof changed, Step.Step<{}, {}>>(true)
const sifted = Primitive.sift(name, { question: "Well?", step: size })
same<Step.Out<typeof sifted>, { readonly size?: number }>(true)
const appended = Thought.append(begun, name, "text")
same<Effect.Success<typeof appended>, Thought.Thought<{ readonly message: string }>>(true)
const written = Thought.write(begun, Note.handle(name, Schema.Finite), 1)
same<Effect.Success<typeof written>, Thought.Thought<{ readonly message: string }>>(true)
const required = Thought.require(begun, [Note.handle(name, Schema.Finite), size])
same<Effect.Success<typeof required>, Thought.Thought<{ readonly message: string; readonly size: number }>>(true)
declare const texts: Readonly<Record<string, string>>
const made = Thought.make("begin", texts)
same<Effect.Success<typeof made>, Thought.Thought>(true)

// Of several keys one is written: none is sure.
const either = Step.make(sure ? "left" : "right", { schema: Schema.Finite, run: () => 1 })
same<Step.Out<typeof either>, { readonly left?: number; readonly right?: number }>(true)
const eitherAppended = Thought.append(begun, sure ? "message" : "right", "text")
same<Effect.Success<typeof eitherAppended>, Thought.Thought<{ readonly message: string; readonly right?: string }>>(
  true
)
const eitherRequired = Thought.require(begun, [Note.handle(sure ? "left" : "right", Schema.Finite)])
same<
  Effect.Success<typeof eitherRequired>,
  Thought.Thought<{ readonly message: string; readonly left?: number; readonly right?: number }>
>(true)
const eitherRead = Note.from(Note.handle(sure ? "left" : "right", Schema.Finite), (n) => n)
same<typeof eitherRead, Note.Reader<{ readonly left: number; readonly right: number }, number>>(true)

// A key that is read with two types has to have both.
const both = Note.from(
  { text: Note.handle("size", Schema.String), number: size },
  ({ number, text }) => text.length + number
)
declare const sized: Thought.Thought<{ readonly size: number }>
// @ts-expect-error Type 'number' is not assignable to type 'never'
void both.read(sized)

// A helper that is generic in the key keeps it.
const scored = <const K extends string>(key: K) => Step.make(key, { schema: Schema.Finite, run: () => 1 })
const score = scored("score").pipe(Step.retry())
same<Step.Out<typeof score>, { readonly score: number }>(true)
const scores = Pipeline.sequence("scores", [scored("a"), scored("b"), scored(name)])
same<Step.Out<typeof scores>, { readonly a: number; readonly b: number }>(true)

// An unsatisfiable read stays one, whatever comes before.
const clash = Pipeline.sequence("clash", [
  Step.make("size", { schema: Schema.String, run: () => "large" }),
  Step.make("next", { schema: Schema.Finite, run: Note.from(size, (n) => n + 1) })
])
const later = Pipeline.sequence("later", [size, clash], { overwrite: true })
same<Step.In<typeof later>, { readonly message: string; readonly size: Clash<number, string> }>(true)
const decided = Pipeline.sequence("decided", [
  Primitive.decide("size", { question: "Is it large?" }),
  Step.make("next", { schema: Schema.Finite, run: Note.from(size, (n) => n + 1) })
])
same<Step.In<typeof decided>, { readonly size: Clash<number, Synapse.Decision> }>(true)

// A reader reads no thought without its notes.
const long = Note.from(message, (text) => text.length > 3)
void long.read(begun)
// @ts-expect-error Property 'message' is missing in type '{ readonly size: number; }'
void long.read(sized)
declare const misread: Thought.Thought<{ readonly message: number }>
// @ts-expect-error Type 'number' is not assignable to type 'string'
void long.read(misread)
