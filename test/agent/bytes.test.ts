/** What an agent's run leaves in a database, beside the texts that it is about. */
import { assert, describe, it } from "@effect/vitest"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { vi } from "vitest"
import { Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { random } from "../../src/testing/contract/stage/random.ts"
import { wordsOnly } from "../pglite/prefilled.ts"

/** Words of random letters, which the database cannot compress. */
const words = (seed: number, length: number): string => {
  const rng = random(seed)
  const letter = () => String.fromCharCode(97 + rng.below(26))
  return Array.from({ length }, (_, i) => (i % 7 === 6 ? " " : letter())).join("")
}

/** Sends what a table holds to the test, without what is computed for searches. */
const columns = `select table_name as "table", column_name as "column" from information_schema.columns
  where table_schema = 'cogito' and table_name not in ('migration', 'space') and column_name not in ('words', 'content_hash')`

const bytesIn = async (database: PGlite): Promise<number> => {
  const { rows } = await database.query<{ readonly table: string; readonly column: string }>(columns)
  let bytes = 0
  for (const { column, table } of rows) {
    const sum = `select coalesce(sum(pg_column_size("${column}")), 0)::int as bytes from cogito."${table}"`
    bytes += (await database.query<{ readonly bytes: number }>(sum)).rows[0]?.bytes ?? 0
  }
  return bytes
}

const file = Tool.make("file", {
  parameters: Schema.Struct({ name: Schema.String, text: Schema.optional(Schema.String) }),
  success: Schema.String
}).annotate(Tool.Readonly, true)
const toolkit = Toolkit.make(file)
const rounds = 20
const clerk = Agent.make("clerk", {
  instructions: "You keep files.",
  triage: false,
  toolkit,
  limits: { rounds: rounds + 1 }
})

interface Params {
  readonly name: string
  readonly text?: string
}

/** Bytes in the database beside those of the texts, after a durable run with so many rounds. */
const stored = (paramsOf: (round: number) => Params, resultOf: (round: number) => string, said: string) => {
  const asked = "What is in the files?"
  const answer = "Nothing of importance."
  const given = Array.from({ length: rounds }, (_, round) => paramsOf(round))
  const results = Array.from({ length: rounds }, (_, round) => resultOf(round))
  const model = Testing.scripted([
    ...given.map((params) => Testing.calls([{ name: "file", params }], said === "" ? {} : { text: said })),
    answer
  ])
  const handlers = toolkit.toLayer({ file: ({ name }) => Effect.succeed(results[Number(name)] ?? "") })
  const texts = [asked, answer, ...results, ...given.flatMap((params) => [said, JSON.stringify(params)])]
  const payload = texts.reduce((sum, text) => sum + text.length, 0)
  const create = vi.spyOn(PGlite, "create")
  return Effect.gen(function* () {
    const { value } = create.mock.results.at(-1) as { readonly value: Promise<PGlite> }
    create.mockRestore()
    yield* Agent.say(clerk, yield* Thought.make("files"), asked)
    return (yield* Effect.promise(async () => bytesIn(await value))) / payload
  }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, wordsOnly())))
}

const small = (round: number) => ({ name: String(round) })

describe("a durable run of an agent in a database", () => {
  it.live("takes at most half as much again as the results of its tools", () =>
    Effect.map(
      stored(small, (round) => words(round, 2000), ""),
      (times) => assert.isAtMost(times, 1.5)
    )
  )

  it.live("takes at most half as much again as the parameters of its calls", () =>
    Effect.map(
      stored(
        (round) => ({ name: String(round), text: words(round, 2000) }),
        () => "It is stored.",
        "The next file is written."
      ),
      (times) => assert.isAtMost(times, 1.5)
    )
  )
})
