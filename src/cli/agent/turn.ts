/** A run of the agent, which Ctrl-C cancels. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { MemoryError } from "../../Memory.ts"
import type * as Pipeline from "../../Pipeline.ts"
import type { Thought } from "../../Thought.ts"
import { showOnScreen } from "../../text/invisible.ts"
import { codes } from "../console/codes.ts"
import { handlingInterrupts } from "../console/interrupts.ts"
import { asLine } from "../runs/failure.ts"
import { messageOf } from "../runs/services.ts"
import type { AnyEvent } from "./module.ts"
import type { Screen } from "./screen.ts"

/** How a run of the agent fails, besides what its tools and policy add. */
type Failing = Parameters<typeof asLine>[1] | Pipeline.Suspended

export type Turned =
  | { readonly _tag: "Done"; readonly thought: Thought<any> }
  | { readonly _tag: "Suspended" }
  /** While `asking`, the calls without an outcome have not begun. */
  | { readonly _tag: "Cancelled"; readonly asking: boolean }
  | { readonly _tag: "Failed"; readonly message: string; readonly isRetryable: boolean }

/** A handler that cannot be interrupted at once. */
const slow = "cogito: Cancelling: a call is still being ended. Press Ctrl-C again to end the program at once."

/** A text of somebody else, with a full stop if it ends without one. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const failed = (runId: string, cause: Cause.Cause<Failing>): Turned => {
  const error = Cause.squash(cause)
  if (Predicate.isTagged(error, "Suspended")) return { _tag: "Suspended" }
  if (Cause.hasDies(cause))
    return { _tag: "Failed", message: `It ended with a defect: ${sentence(messageOf(cause))}`, isRetryable: true }
  // without defects and interruptions, it is one of the failures
  const failure = error as Exclude<Failing, Pipeline.Suspended>
  if (failure._tag !== "PipelineError") {
    return { _tag: "Failed", message: asLine(runId, failure).message, isRetryable: true }
  }
  const { cause: reason } = failure
  const text = Predicate.hasProperty(reason, "message") ? String(reason.message) : failure.message
  return {
    _tag: "Failed",
    message: reason instanceof MemoryError ? text : showOnScreen(text),
    isRetryable: !(Predicate.hasProperty(reason, "isRetryable") && reason.isRetryable === false)
  }
}

/** Runs the agent and shows what happens. */
export const turn = Effect.fnUntraced(function* <R>(
  screen: Screen,
  runId: string,
  events: Stream.Stream<AnyEvent, Failing, R>
): Effect.fn.Return<Turned, never, R> {
  let thought: Thought<any> | undefined
  let presses = 0
  const fiber = yield* Effect.forkChild(
    Stream.runForEach(events, (event) => {
      if (event._tag === "Done") thought = event.thought
      return screen.event(event)
    })
  )
  const services = yield* Effect.context()
  const warning = Effect.andThen(
    Effect.sleep("1 second"),
    Effect.suspend(() => (fiber.pollUnsafe() === undefined ? screen.notice(slow) : Effect.void))
  )
  const press = () => {
    presses++
    if (presses > 1) process.exit(codes.SIGINT)
    Effect.runForkWith(services)(warning)
    fiber.interruptUnsafe()
  }
  const exit = yield* Fiber.await(fiber).pipe(
    handlingInterrupts(press),
    Effect.onInterrupt(() => Fiber.interrupt(fiber))
  )
  if (thought !== undefined) return { _tag: "Done", thought }
  if (Exit.isFailure(exit)) {
    if (!Cause.hasInterruptsOnly(exit.cause)) return failed(runId, exit.cause)
    return presses > 0 ? { _tag: "Cancelled", asking: false } : yield* Effect.interrupt
  }
  // the last event of a run that succeeds has its thought
  return yield* Effect.die(new Error("The agent has ended without its last event."))
})
