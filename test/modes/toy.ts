/** A vendor whose connections keep lines. */
import { Effect, Queue } from "effect"
import { Provider } from "cogito"

/** A connection that is gone. */
export const broken = new Provider.ProviderError({
  provider: "toy",
  model: "toy-1",
  reason: { _tag: "Connection", message: "gone" }
})

/** A vendor whose connections keep lines, and answer "go" with all of them. It says what happens to its connections. */
export const toy = (
  after: (lines: ReadonlyArray<string>) => ReadonlyArray<string> = (lines) => [`said ${lines.join(" ")}`]
) => {
  const log: Array<string> = []
  let opened = 0
  let isDown = false
  const connect = Effect.gen(function* () {
    if (isDown) return yield* broken
    const number = ++opened
    log.push(`open ${number}`)
    const frames = yield* Queue.unbounded<string>()
    const lines: Array<string> = []
    return {
      send: (frame: string) =>
        Effect.sync(() => {
          log.push(`${number} ${frame}`)
          if (frame !== "go") return lines.push(frame)
          for (const answer of after(lines)) Queue.offerUnsafe(frames, answer)
          return 0
        }),
      receive: Effect.filterOrFail(
        Queue.take(frames),
        (frame) => frame !== "break",
        () => broken
      ),
      close: Effect.sync(() => log.push(`close ${number}`)).pipe(Effect.asVoid)
    }
  })
  const options: Parameters<typeof Provider.resumable>[0] = {
    name: "toy",
    model: "toy-1",
    connect,
    frames: (_, lacking) => [...lacking.map(({ text }) => text), "go"],
    read: () => (frame) => {
      if (frame === "forgotten") return { _tag: "Failed", error: broken, isForgotten: true }
      if (frame === "refused") return { _tag: "Failed", error: broken }
      if (frame === "dead") return { _tag: "Failed", error: broken, isClosing: true }
      return frame.startsWith("said")
        ? { _tag: "Done", response: { text: frame, usage: {} } }
        : { _tag: "Text", delta: frame }
    }
  }
  return { log, options, down: (value = true) => (isDown = value) }
}
