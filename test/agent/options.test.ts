/** Options of agents, tools, providers and single calls with values of another kind, as programs without types may pass them. */
import { assert, describe, it } from "@effect/vitest"
import { Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Primitive, Provider, Synapse } from "cogito"
import { Agent } from "cogito/agent"
import { Tools } from "cogito/tools"

const toolkit = Toolkit.empty
const agent = (options: object) => () => Agent.make("clerk", { instructions: "You help.", toolkit, ...options } as any)
const step = Primitive.decide("is_late", { question: "Is it late?" })
const untyped: any = { ...Tools, ...Agent, ...Provider, ...Synapse }

const refused: Readonly<Record<string, readonly [() => unknown, string]>> = {
  "a toolkit that is an array": [
    agent({ toolkit: [Tool.make("look")] }),
    "Agent.make needs a toolkit, made by Toolkit.make, as the option toolkit, but got an array."
  ],
  "instructions that are a number": [
    agent({ instructions: 5 }),
    'The agent "clerk" needs a string or a reader of notes as instructions, but got a number.'
  ],
  "a key that is a number": [agent({ key: 5 }), "Agent.make needs a string as the option key, but got a number."],
  "a policy that is a word": [
    agent({ policy: "deny" }),
    "Agent.make needs a function as the option policy, but got a string."
  ],
  "rounds that are prepared by an object": [
    agent({ prepare: { tools: [] } }),
    "Agent.make needs a function as the option prepare, but got an object."
  ],
  "documents that are an object": [
    agent({ documents: {} }),
    "Agent.make needs an array as the option documents, but got an object."
  ],
  "an id among the documents": [
    agent({ documents: ["jane"] }),
    'The agent "clerk" needs an array of documents, but got a string at index 0.'
  ],
  "a typo in the sampling": [
    agent({ sampling: { temprature: 1 } }),
    'Agent.make has no option "sampling.temprature". Did you mean "sampling.temperature"?'
  ],
  "a model's name as the provider": [
    agent({ provider: "gpt" }),
    "Agent.make needs a provider as the option provider, but got a string."
  ],
  "parameters that are fields alone": [
    () => untyped.asTool("late", step, { description: "d", parameters: { day: Schema.String }, answer: step }),
    "Agent.asTool needs a Schema.Struct as the option parameters, but got an object."
  ],
  "hidden files by a word": [
    () => untyped.files({ root: ".", hidden: "false" }),
    "Tools.files needs true or false as the option hidden, but got a string."
  ],
  "a readonly folder by a word": [
    () => untyped.files({ root: ".", readonly: "yes" }),
    "Tools.files needs true or false as the option readonly, but got a string."
  ],
  "one allowed command": [
    () => untyped.shell({ root: ".", allow: "git log" }),
    "Tools.shell needs an array in which every element is a string or a function, as the option allow, but got a string."
  ],
  "a pattern among the allowed commands": [
    () => untyped.shell({ root: ".", allow: [/git/] }),
    "Tools.shell needs an array in which every element is a string or a function, as the option allow, but got an array."
  ],
  "one allowed host": [
    () => untyped.scrape({ allow: "example.com" }),
    "Tools.scrape needs an array in which every element is a string, as the option allow, but got a string."
  ],
  "a mistyped word for when to ask": [
    () => untyped.scrape({ ask: "allways" }),
    'Tools.scrape needs "unknown", "always", "never" or a function as the option ask, but got "allways".'
  ],
  "a search that is an address": [
    () => untyped.search({ search: "https://example.com" }),
    "Tools.search needs a function as the option search, but got a string."
  ],
  "a finder of passages that is an object": [
    () => untyped.retrieve({ find: {} }),
    "Tools.retrieve needs a function as the option find, but got an object."
  ],
  "a provider that cannot complete": [
    () => Provider.make({ name: "mine", model: "m", complete: "text" } as any),
    "Provider.make needs a function as the option complete, but got a string."
  ],
  "one way of answering in the place of an order": [
    () => untyped.combine({ complete: Layer.empty, decide: Layer.empty, order: 5 }),
    'Provider.combine needs an array in which every element is "native" or "text", as the option order, but got a number.'
  ],
  "one criterion": [
    () => untyped.binary({ question: "Is it late?", criteria: "time" }),
    "Synapse.binary needs an array in which every element is a string, as the option criteria, but got a string."
  ],
  "one aspect": [
    () => untyped.sentiment({ aspects: "price" }),
    "Synapse.sentiment needs an array in which every element is a string, as the option aspects, but got a string."
  ]
}

describe("an option of another kind", () => {
  for (const [what, [construct, message]] of Object.entries(refused)) {
    it(`is refused with a sentence that names it: ${what}`, () => {
      assert.throws(construct, message)
    })
  }
})
