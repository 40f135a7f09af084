import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Cogito } from "cogito/promise"
import { Effect } from "effect"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

describe("the services of a client", () => {
  it("do not hold what calls have come to", async () => {
    await using ai = Cogito.make([])
    const come = await (async () => new WeakRef(await ai.effect(Effect.sync(() => ({ a: "large value" })))))()
    // what a turn has read of it is held until its end
    for (let turn = 0; turn < 3; turn++) await setImmediate()
    collectGarbage()
    assert.isUndefined(come.deref())
  })
})
