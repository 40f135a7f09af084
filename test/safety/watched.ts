/** Everything that is told of a program outside of its result. */
import { Effect, Exit, Logger, Metric, References, Tracer } from "effect"
import { inspect } from "node:util"
import { vi } from "vitest"
import { Signal } from "cogito"

/** Runs a program and returns logs with their causes, spans, signals, metrics, and what is printed. */
export const watched = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const told: Array<unknown> = []
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const logger = Logger.make((entry) => {
      told.push(
        entry.message,
        inspect(entry.cause, { depth: 12 }),
        Logger.formatStructured.log(entry),
        Logger.formatLogFmt.log(entry)
      )
    })
    const print = vi.spyOn(process.stdout, "write").mockImplementation((text) => told.push(text) > 0)
    const complain = vi.spyOn(process.stderr, "write").mockImplementation((text) => told.push(text) > 0)
    const consoles = (["debug", "log", "info", "warn", "error"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...all) => void told.push(...all))
    )
    const exit = yield* program.pipe(
      Effect.tapCause((cause) => Effect.logError("it failed", cause)),
      Effect.exit,
      Signal.listen((signal) => told.push(signal)),
      Effect.withTracer(tracer),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All"),
      Effect.ensuring(
        Effect.sync(() => {
          for (const spy of [print, complain, ...consoles]) spy.mockRestore()
        })
      )
    )
    told.push(...(yield* Metric.snapshot))
    for (const span of spans) {
      // the value of a span that ended well is Effect's own matter: no exporter sends it
      const ended = span.status._tag === "Ended" && Exit.isFailure(span.status.exit) ? [span.status.exit] : []
      told.push(span.name, [...span.attributes], span.events, ...ended)
    }
    if (Exit.isFailure(exit)) {
      for (const { _tag, ...reason } of exit.cause.reasons) {
        const error = "error" in reason ? reason.error : "defect" in reason ? reason.defect : undefined
        told.push(_tag, String(error), inspect(error, { depth: 12, showHidden: true }), JSON.stringify(error))
        if (error instanceof Error) told.push(error.message, error.stack, String(error.cause))
      }
    }
    return { exit, told, spans }
  })

export const seen = (value: unknown): string => (typeof value === "string" ? value : inspect(value, { depth: 12 }))
