/** A module of an application that exports what the compiler infers, so that each type must have a name to be declared by. */
import type { Module } from "../../scripts/docs/api/modules.ts"

const helper = `declare const called: <F>(f: F) => F extends (...args: infer A) => infer B ? (...args: A) => B : F`

/** What applications make of the parts, with types that the compiler works out. */
const made = `
import { Effect, Schema, Stream } from "effect"
import { Toolkit } from "effect/ai"
import { Memory, Note, Pipeline, Primitive, Provider, Signal, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import type { Cogito } from "cogito/promise"
const message = Note.handle("message", Schema.String)
const Ticket = Schema.Struct({ issue: Schema.String })
export const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract" })
export const urgent = Primitive.decide("urgent", { question: Note.from(ticket, ({ issue }) => issue) })
export const tried = urgent.pipe(Step.retry({ times: 2 }), Step.timeout("1 minute"), Step.named("try"))
export const words = Step.make("words", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
export const saved = ticket.pipe(Step.recover(words, { when: "ProviderError" }))
export const both = Pipeline.concurrent("both", { tried, words }, { conflicts: "namespace" })
export const triage = Pipeline.sequence("triage", [ticket, urgent, words])
export const done = Effect.flatMap(Thought.make("triage", { message: "Help" }), (it) => Pipeline.run(triage, it))
export const answer = Effect.map(done, (it) => it.get("urgent"))
export const again = Effect.map(Pipeline.rerun(triage, "run"), ({ notes }) => notes[0])
export const events = Stream.unwrap(Effect.map(Thought.make("triage"), (it) => Pipeline.stream(ticket, it)))
export const arms = Effect.map(Memory.search("help"), (it) => it.arms)
export const failed = (error: Pipeline.BranchesFailed<Error>) => error.failures
export const sent = (response: Provider.Response) => response.sent
export const shape = Effect.map(Provider.Provider, (provider) => ({ ...provider }))
const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit: Toolkit.empty, triage: false })
declare const ai: Cogito.Cogito<Provider.Provider | Memory.Memory>
export const chat = ai.chat(guide, { intent: "trip" })
export const heard = Signal.stream(done, { tags: ["StepCompleted"] })
`

/** An application that imports one module, and exports types of others. */
const alone = `
import { decide } from "cogito/Primitive"
export const alone = decide("alone", { question: "Is it alone?" })
`

/** With every value of the modules of these entry points. */
export const exporting = (modules: ReadonlyArray<Module>, specifiers: ReadonlyArray<string>): string => {
  const lines = specifiers.flatMap((specifier, index) => {
    const values = modules
      .filter((module) => module.specifier === specifier)
      .flatMap(({ entries, name, parent }) => {
        // an entry point is a module itself, or exports modules
        const path = specifier.endsWith(`/${name}`) && parent === undefined ? `m${index}` : `m${index}.${name}`
        return entries
          .filter(({ isValue }) => isValue)
          .flatMap(({ declarations, name: value }) => {
            const declared = `export const m${index}_${name}_${value}`
            const own = `${declared} = ${path}.${value}`
            // a function that is declared as such is exported by its name, whatever its types are
            const isDeclared = declarations.some(({ text }) => /^(?:export )?function\b/.test(text))
            return isDeclared ? [own, `${declared}_called = called(${path}.${value})`] : [own]
          })
      })
    return [`import * as m${index} from "${specifier}"`, ...values]
  })
  // one project of each is enough
  const own = specifiers.includes("cogito") ? made : specifiers.includes("cogito/tokenizer") ? alone : ""
  return [helper, ...lines, own].join("\n")
}
