/** PGlite shows the same as the in-memory store. */
import { layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Store } from "cogito"
import { onStore } from "../memory/scenes/stage.ts"
import { subjects } from "../memory/scenes/subjects.ts"
import { transcribe } from "../transcript.ts"
import { makeStore } from "./prefilled.ts"

class Shared extends Context.Service<Shared, Store.Store>()("test/pglite/store.transcript.test/Shared") {}

// in the calling thread, because the scenes set the clock while statements run
layer(Layer.effect(Shared, makeStore()), { timeout: "60 seconds" })("the transcript of PGlite", (it) => {
  for (const [subject, scenes] of Object.entries(subjects)) {
    it.effect(subject, () => transcribe(`../../memory/transcripts/${subject}`, onStore(Shared, scenes)), {
      timeout: 120_000
    })
  }
})
