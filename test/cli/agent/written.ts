/** What is written to the outputs of this process. */
import * as Effect from "effect/Effect"

/** What work writes to an output; the program writes texts only, each with a function to call when it has been taken. */
const taking = (stream: NodeJS.WriteStream, take: (text: string) => void) => {
  const real = stream.write.bind(stream)
  stream.write = (piece: unknown, ...rest: ReadonlyArray<unknown>) => {
    take(String(piece))
    const done = rest.at(-1)
    if (typeof done === "function") process.nextTick(done)
    return true
  }
  return () => {
    stream.write = real
  }
}

/** What is written meanwhile. */
export const writtenBy = <E, R>(
  work: Effect.Effect<unknown, E, R>
): Effect.Effect<{ readonly stdout: string; readonly stderr: string }, E, R> =>
  Effect.suspend(() => {
    let [stdout, stderr] = ["", ""]
    const releases = [
      taking(process.stdout, (text) => (stdout += text)),
      taking(process.stderr, (text) => (stderr += text))
    ]
    return Effect.ensuring(
      work,
      Effect.sync(() => {
        for (const release of releases) release()
      })
    ).pipe(Effect.map(() => ({ stdout, stderr })))
  })
