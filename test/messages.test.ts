import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"

/** A key that reads as another one: it turns the direction of writing, and holds what is not drawn. */
const key = "a\u202eb\u200b\u{e0041}"
const shown = String.raw`"a\u{202e}b\u{200b}\u{e0041}"`

const messageOf = <A>(effect: Effect.Effect<A, { readonly message: string }, Memory.Memory>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message).pipe(Effect.provide(Layer.fresh(Testing.memory)))

const thrown = (body: () => unknown): string => {
  try {
    body()
  } catch (error) {
    return (error as Error).message
  }
  return assert.fail("nothing was thrown")
}

/** Begins a thought with something that is no text. */
const begin = () => Effect.runSync(Thought.make("test", { [key]: 1 as any }))

describe("a key with hidden characters", () => {
  it.effect("is shown by its numbers in every message that names it", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { [key]: "x" })
      const large = yield* Thought.make("test", { [key]: "x".repeat(4_000_001) })
      const sourced = yield* Thought.make("test", { [key]: { content: "x", source: "s".repeat(300) } })
      const wrong: any = { [key]: 1 }
      const option: any = { [key]: 1 }
      const messages = [
        new Note.NoteNotFound({ key }).message,
        new Thought.NoteFormatError({ key, expected: "a text" }).message,
        new Synapse.InvalidItems({ problem: "none", keys: [key], positions: [] }).message,
        yield* messageOf(Thought.read(thought, Note.handle(`${key}!`, Schema.String))),
        yield* messageOf(Memory.commit(large)),
        yield* messageOf(Memory.commit(sourced)),
        yield* messageOf(Memory.search("x", { metadata: wrong })),
        yield* messageOf(Memory.search("x", option)),
        thrown(begin),
        thrown(() => Note.checkKey(`\u0007${key}`)),
        thrown(() => Note.handle(key, undefined as any)),
        thrown(() => Step.make(key, { run: () => 1, shows: 1 as any }))
      ]
      for (const message of messages) {
        assert.notMatch(message, /[\u202e\u200b\u{e0041}]/u, message)
        assert.include(message, shown.slice(1, -1))
      }
    })
  )
})

/** Texts that are no messages: what a model reads, a key of a map, the name of an index, a schema, JSON itself. */
const noMessages: ReadonlyArray<string> = [
  "cli/agent/unseen.ts",
  "cli/runs/questions.ts",
  "local/extractive.ts",
  "openai/api/strict.ts",
  "openai/realtime/realtime.ts",
  "pipeline/draw/fingerprint.ts",
  "provider/protocol/written.ts",
  "schema/jsonSchema.ts",
  "schema/notation.ts",
  "schema/noteCodec.ts",
  "sql/search/nearest.ts",
  "studio/assets.ts",
  "synapse/transform.ts"
]

describe("a name in a message", () => {
  it("is shown by `quoted` everywhere in the sources", () => {
    const folder = join(import.meta.dirname, "../src")
    const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.startsWith("testing/"))
      .flatMap((file) => {
        const source = readFileSync(join(folder, file), "utf8").replaceAll(/^ *(?:\*|\/\*\*|\/\/).*$/gm, "")
        // in a template, or as the whole of a function of one value
        return /\$\{\s*JSON\.stringify\(|\b(\w+)(?:: string\))?\)?(?:: string)? => JSON\.stringify\(\1\)/.test(source)
          ? [file]
          : []
      })
    assert.deepStrictEqual(found.toSorted(), noMessages, "these show names as JSON: use `quoted`")
  })

  it.effect("is cut when it is long, and shown by its type when it is no text", () =>
    Effect.sync(() => {
      const long = "k".repeat(5000)
      const cut = new Note.NoteNotFound({ key: long }).message
      assert.isBelow(cut.length, 500)
      assert.include(cut, `"${"k".repeat(200)}…"`)
      const pipelines: any = Pipeline
      assert.include(
        thrown(() => pipelines.sequence(undefined, 1)),
        "The sequence undefined needs an array of steps, but got a number."
      )
      assert.include(
        thrown(() => pipelines.sequence({}, 1)),
        "The sequence object needs an array of steps, but got a number."
      )
      assert.include(
        thrown(() => Pipeline.sequence(key, 1 as any)),
        `The sequence ${shown} needs an array of steps, but got a number.`
      )
    })
  )
})
