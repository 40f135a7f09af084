import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { filterOf, findsResults } from "../../src/memory/search/filter.ts"
import type { Memory } from "cogito"

const finds = (filter: Memory.Filter) => findsResults(Effect.runSync(filterOf(filter)))

it("a search finds results of earlier searches if its filter names their source, or excludes nothing", () => {
  for (const filter of [
    { sources: ["seek"] },
    { sources: ["user", "survey"] },
    { excludeSources: [] },
    { excludeSources: ["user"] },
    { excludeSources: ["seek"] },
    { sources: ["seek", "survey"], excludeSources: ["seek"] }
  ]) {
    assert.isTrue(finds(filter), JSON.stringify(filter))
  }
  for (const filter of [
    {},
    { keys: ["seek"] },
    { sources: [] },
    { sources: ["user"] },
    { excludeSources: ["survey", "seek"] },
    { sources: ["seek"], excludeSources: ["seek"] }
  ]) {
    assert.isFalse(finds(filter), JSON.stringify(filter))
  }
})
