/** What the in-memory store shows of every scene; test/pglite and test/postgres compare with the same texts. */
import { describe, it } from "@effect/vitest"
import { Store } from "cogito"
import { transcribe } from "../transcript.ts"
import { onStore } from "./scenes/stage.ts"
import { subjects } from "./scenes/subjects.ts"

describe("the transcript of plain memory", () => {
  for (const [subject, scenes] of Object.entries(subjects)) {
    it.effect(subject, () => transcribe(subject, onStore(Store.makeInMemory, scenes)))
  }
})
