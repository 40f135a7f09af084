/** What runtimes run of the packed package: a program that uses its parts, and prints those that work. */
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Memory, Pipeline, Primitive, type Provider, Session, Synapse, Thought } from "cogito"
import { OpenAi } from "cogito/openai"
import { Local } from "cogito/local"
import { Persisted } from "cogito/persistence"
import { PgliteMemory } from "cogito/pglite"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"
import { Tokenizer } from "cogito/tokenizer"

const folder = mkdtempSync(join(tmpdir(), "cogito-everywhere-"))
const answer = { decision: true, confidence: 0.9, reasoning: ["Orders are lost."] }
const urgent = Primitive.decide("urgent", { question: "Does this need an answer today?" })
const decide = async (model: Layer.Layer<Provider.Provider, unknown>): Promise<boolean> => {
  const start = { intent: "sort the inbox", notes: { message: "The site is down and we lose orders every minute!" } }
  const done = await Pipeline.runPromise(urgent, start, { layer: Layer.merge(model, Testing.memory) })
  return done.get("urgent").decision
}

const uses: Readonly<Record<string, () => Promise<void>>> = {
  pipelines: async () => {
    assert.equal(await decide(Testing.scripted([answer]).layer), true)
  },
  "extractive model": async () => {
    assert.equal(typeof (await decide(Local.extractive)), "boolean")
  },
  "model behind HTTP": async () => {
    const server = createServer((request, response) => {
      const message = { role: "assistant", content: JSON.stringify(answer) }
      const choices = [{ index: 0, finish_reason: "stop", message }]
      const body = { id: "1", object: "chat.completion", created: 1, model: "m", choices }
      request.resume().on("end", () => {
        response.setHeader("content-type", "application/json").end(JSON.stringify(body))
      })
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = server.address()
    assert.ok(address !== null && typeof address === "object")
    try {
      assert.equal(await decide(OpenAi.layer({ model: "m", baseUrl: `http://127.0.0.1:${address.port}/v1` })), true)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  },
  "memory in PGlite": async () => {
    const dataDir = join(folder, "memory")
    const memory = PgliteMemory.layer({ dataDir }).pipe(Layer.provide(Local.embedder))
    const search = Effect.gen(function* () {
      yield* Memory.commit(yield* Thought.make("support", { message: "I was charged twice for my invoice" }))
      yield* Memory.flush
      return yield* Memory.search("a double payment", { limit: 1 })
    })
    const { matches } = await Effect.runPromise(Effect.provide(search, memory))
    assert.equal(matches.length, 1)
  },
  "answers in files": async () => {
    const files = Persisted.layerFiles(join(folder, "answers")).pipe(Layer.provide(NodeServices.layer))
    const model = Testing.scripted([answer])
    const isUrgent = Synapse.binary({ question: "Is this urgent?" })
    for (let i = 0; i < 2; i++) {
      const cached = model.layer.pipe(Persisted.cache(), Layer.provide(files))
      assert.equal((await Effect.runPromise(Effect.provide(isUrgent("Now!"), cached))).decision, true)
    }
    assert.equal(model.requests.length, 1)
  },
  "pipelines in files": async () => {
    const registry = Spec.registry()
    const text = "cogito: 1\nname: mail\nstep: { type: decide, key: urgent, question: Is this urgent? }\n"
    const document = await Effect.runPromise(Spec.decode(registry, text))
    const step = await Effect.runPromise(Spec.build(registry, document))
    assert.equal(step.node.name, "urgent")
  },
  tokenizer: async () => {
    const session = Session.append(Session.empty, { role: "user", text: "hello world" })
    assert.equal(await Effect.runPromise(Effect.provide(Session.tokens(session), Tokenizer.o200k)), 2)
  }
}

try {
  for (const [name, use] of Object.entries(uses)) {
    await use()
    console.log(name)
  }
  for (const part of ["agent", "anthropic", "effect-ai", "postgres", "rerank", "tools", "workflow"]) {
    assert.notDeepEqual(Object.keys(await import(`cogito/${part}`)), [])
  }
  console.log("every entry point")
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
