/** A scenario for each step that is no primitive and no connector around one step, and larger ones for some connectors. */
import { Effect, Schema } from "effect"
import { Note, Pipeline, Step, Thought } from "cogito"
import type { Making, Scenario } from "../enumerate.ts"
import { connectors, asksAgain } from "./connectors.ts"
import { again, asks, decided, does, type Inside } from "./parts.ts"

const message = Note.handle("message", Schema.String)

/** A step with one before it and one after it, so that it can be seen what they see of each other. */
const between =
  (make: (inside: Inside) => Step.Any): Making =>
  (process, world) =>
    Pipeline.sequence("all", [asks("first"), make({ process, world, name: "it" }), asks("last")])

/** A connector around a question. */
const around = (name: string): Scenario => ({
  step: between((inside) => connectors[name]!(asks("question", asksAgain.has(name) ? "(fails first)" : ""), inside))
})

/** Several steps in place of one. */
const several = (...steps: ReadonlyArray<Step.Any>): Step.Any => Pipeline.sequence("several", steps)

export const steps: Readonly<Record<string, Scenario>> = {
  ...Object.fromEntries(Object.keys(connectors).map((name) => [name, around(name)])),

  make: {
    step: between((inside) =>
      several(
        does(inside, "with a note"),
        Step.make("without one", { run: inside.world.effect(inside.process, "make without one") }),
        Step.make("failing", { run: Effect.fail({ _tag: "Refused" }) }).pipe(Step.enrich({ report: "why" }))
      )
    )
  },
  once: {
    step: between((inside) => {
      const mail = (key: string) => Step.once(key, () => inside.world.effect(inside.process, `once ${key}`))
      return several(
        mail("mail"),
        Pipeline.concurrent("two", { a: several(asks("a"), mail("a mail")), b: mail("b mail") }),
        Step.retry(several(mail("third mail"), asks("c", "(fails first)")))
      )
    })
  },
  idempotencyKey: {
    step: between(({ process, world }) =>
      Step.make("pay", {
        schema: Schema.String,
        run: Effect.flatMap(Step.idempotencyKey, (key) => Effect.as(world.effect(process, `make ${key}`), key))
      })
    )
  },
  derivedFrom: {
    step: between(() =>
      Step.make("copy", {
        schema: Schema.String,
        run: (thought: Thought.Thought<any>) => Effect.as(Step.derivedFrom(Thought.notes(thought)), "copied")
      })
    )
  },
  tap: { step: between((inside) => Pipeline.tap("look", again(inside))) },
  mutate: {
    step: between((inside) =>
      Pipeline.mutate("change", {
        note: message,
        update: (text) => Effect.as(again(inside), `${text}!`),
        when: decided(inside, true)
      })
    )
  },
  waitFor: {
    step: between(() =>
      several(
        Pipeline.waitFor("amount", {
          schema: Schema.Finite,
          prompt: Note.from(message, (text) => `How much for ${text}?`)
        }),
        Pipeline.waitFor("late", { schema: Schema.Finite, prompt: "And?", timeout: "1 hour", otherwise: 0 }),
        Step.enrich(Pipeline.waitFor("never", { schema: Schema.Finite, prompt: "And?", timeout: "1 hour" }), {
          report: "why"
        })
      )
    ),
    answers: { amount: 12 }
  },
  ask: {
    step: between((inside) =>
      Pipeline.gen("thrice", function* () {
        for (let i = 0; i < 2; i++) yield* Pipeline.ask(asks("again"))
        const { decision } = yield* Pipeline.ask(asks("no", "(no)"))
        if (!decision) yield* Pipeline.ask(Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?" }))
        yield* Pipeline.ask(Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much now?" }))
        yield* again(inside)
      })
    ),
    answers: { amount: 12 }
  },
  sequence: { step: between(() => several(asks("a"), Pipeline.sequence("none", []), several(asks("b")))) },
  timeout: {
    step: between(() => {
      const slow = Step.timeout(several(asks("in time"), asks("late", "(takes 1000)")), 300)
      return Step.recover(slow, asks("instead"))
    })
  },
  rateLimit: {
    step: between(() => {
      const limited = { limit: 1, per: 30 }
      return Step.rateLimit(several(asks("a"), Step.rateLimit(asks("b"), limited)), limited)
    })
  },
  fallback: {
    step: between((inside) =>
      Pipeline.fallback("one of", [asks("a", "(fails)"), asks("b"), asks("c")], { accept: decided(inside, false) })
    )
  },
  concurrent: {
    step: between(() =>
      Pipeline.concurrent(
        "at once",
        { a: several(asks("a"), asks("a2")), b: asks("b", "(takes 10)"), c: asks("c", "(fails)") },
        { minSuccesses: 2, report: "how", conflicts: "namespace" }
      )
    )
  },
  race: {
    step: between(() =>
      Pipeline.race("first of", [
        asks("a", "(takes 20)"),
        several(asks("b", "(takes 5)"), asks("b2")),
        asks("c", "(fails)")
      ])
    )
  },
  contest: {
    step: between(() =>
      Pipeline.contest("best of", [asks("a"), asks("b", "(takes 10)"), asks("c", "(takes 1000)")], {
        accept: (thought) => thought.note("a") === undefined
      })
    )
  },
  scaffold: {
    step: between((inside) =>
      several(
        Pipeline.scaffold("later", { step: several(asks("in the background"), does(inside, "there")) }),
        Pipeline.concurrent("two", {
          a: Pipeline.scaffold("also later", { step: asks("behind") }),
          b: asks("before", "(takes 10)")
        })
      )
    )
  },
  compact: {
    step: between(() => Pipeline.compact(several(asks("a"), asks("b"), asks("c"), asks("d")), { turns: 3, keep: 1 }))
  },
  fails: {
    step: between(() => several(asks("a"), asks("b", "(fails)"))),
    fails: true,
    repeats: 1
  }
}
