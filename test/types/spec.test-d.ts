import { Data, Effect, Schema, Context } from "effect"
import { type Memory, Note, Pipeline, type Provider, Step, Synapse } from "cogito"
import { Spec } from "cogito/spec"
import { same } from "./same.ts"

class Broken extends Data.TaggedError("Broken") {}
class Unread extends Data.TaggedError("Unread") {}
class Unsaid extends Data.TaggedError("Unsaid") {}
class Desk extends Context.Service<Desk, { readonly number: number }>()("test/Desk") {}
class Shelf extends Context.Service<Shelf, { readonly number: number }>()("test/Shelf") {}

const message = Note.handle("message", Schema.String)
const spam = Note.handle("spam", Synapse.Decision)
declare const document: Spec.Document

type ErrorOf<T> = T extends Effect.Effect<infer S, any, any> ? Step.Err<S> : never
type NeedsOf<T> = T extends Effect.Effect<infer S, any, any> ? Step.Req<S> : never
type InOf<T> = T extends Effect.Effect<infer S, any, any> ? Step.In<S> : never
type KeysOf<T> = T extends Effect.Effect<infer S, any, any> ? keyof Step.In<S> | keyof Step.Out<S> : never
type OutOf<T> = T extends Effect.Effect<infer S, any, any> ? Step.Out<S> : never

// fails and needs what its steps can, and nothing else, where nothing is registered
{
  const built = Spec.build(Spec.registry(), document)
  same<ErrorOf<typeof built>, Spec.BuiltIn>(true)
  same<NeedsOf<typeof built>, Provider.Provider | Memory.Memory>(true)
  same<KeysOf<typeof built>, never>(true)
}

// has the errors and needs of all that is registered
{
  const registry = Spec.registry({
    steps: {
      broken: Step.make("broken", { run: Effect.fail(new Broken()) }),
      desk: Step.make("desk", { schema: Schema.Finite, run: Desk.use(({ number }) => Effect.succeed(number)) })
    },
    readers: { words: Note.from(message, () => Effect.fail(new Unread())) },
    functions: {
      say: () => Shelf.use(() => Effect.fail(new Unsaid())),
      plain: (value: number) => value + 1
    }
  })
  const built = Spec.build(registry, document)
  same<ErrorOf<typeof built>, Spec.BuiltIn | Broken | Unread | Unsaid>(true)
  same<NeedsOf<typeof built>, Provider.Provider | Memory.Memory | Desk | Shelf>(true)
}

// needs a supervisor only where it may run in the background
{
  const built = Spec.build(Spec.registry({ background: true }), document)
  same<NeedsOf<typeof built>, Provider.Provider | Memory.Memory | Pipeline.Supervisor>(true)
}

// reads and writes the notes of the handles that it is told
{
  const built = Spec.build(Spec.registry(), document, { reads: [message], writes: [spam] })
  same<InOf<typeof built>, { readonly message: string }>(true)
  same<OutOf<typeof built>, { readonly spam: Synapse.Decision }>(true)
}

// is as typed when its file is watched
{
  const one = Effect.map(
    Spec.watch(Spec.registry(), "mail.json", { reads: [message], writes: [spam] }),
    ({ step }) => step
  )
  same<InOf<typeof one>, { readonly message: string }>(true)
  same<OutOf<typeof one>, { readonly spam: Synapse.Decision }>(true)
  const several = Effect.map(
    Spec.watch(Spec.registry(), { mail: "mail.json", spam: { path: "spam.json", writes: [spam] } }),
    ({ steps }) => Pipeline.sequence("both", [steps.mail, steps.spam])
  )
  same<OutOf<typeof several>, { readonly spam: Synapse.Decision }>(true)
  same<ErrorOf<typeof several>, Spec.BuiltIn>(true)
}

// has the errors and needs also of what may be registered, and of what is not known
{
  const debug = Math.random() < 0.5
  const steps = { broken: Step.make("broken", { run: Effect.fail(new Broken()) }) }
  const readers = { words: Note.from(message, () => Effect.fail(new Unread())) }
  const functions = { say: () => Shelf.use(() => Effect.fail(new Unsaid())) }
  const perhaps = Spec.build(Spec.registry({ readers, ...(debug ? { functions, steps } : {}) }), document)
  same<ErrorOf<typeof perhaps>, Spec.BuiltIn | Broken | Unread | Unsaid>(true)
  same<NeedsOf<typeof perhaps>, Provider.Provider | Memory.Memory | Shelf>(true)
  const either = Spec.build(Spec.registry(debug ? { steps } : { readers }), document)
  same<ErrorOf<typeof either>, Spec.BuiltIn | Broken | Unread>(true)

  const options: Spec.RegistryOptions = { steps }
  const unknown = Spec.build(Spec.registry(options), document)
  same<ErrorOf<typeof unknown>, unknown>(true)
  same<NeedsOf<typeof unknown>, unknown>(true)
}

// needs a supervisor also where it may run in the background
{
  const background: boolean = Math.random() < 0.5
  const built = Spec.build(Spec.registry({ background }), document)
  same<NeedsOf<typeof built>, Provider.Provider | Memory.Memory | Pipeline.Supervisor>(true)
  const perhaps = Spec.build(Spec.registry({ steps: {}, ...(background ? { background: true } : {}) }), document)
  same<NeedsOf<typeof perhaps>, Provider.Provider | Memory.Memory | Pipeline.Supervisor>(true)
  const not = Spec.build(Spec.registry({ background: false }), document)
  same<NeedsOf<typeof not>, Provider.Provider | Memory.Memory>(true)
}

// reads also what a file may declare; writes only what it surely does
{
  const debug = Math.random() < 0.5
  const declared = { reads: [message], writes: [spam] } as const
  const one = Effect.map(
    Spec.watch(Spec.registry(), { mail: { path: "mail.json", ...(debug ? declared : {}) } }),
    ({ steps }) => steps.mail
  )
  same<InOf<typeof one>, { readonly message: string }>(true)
  same<KeysOf<typeof one>, "message">(true)
}
