/** Queues the events of answers for a reader, in order and at its pace. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { type PartialReader, partialReader } from "./answer/partial/reader.ts"
import type { Watched } from "./call.ts"
import type { Form } from "./form.ts"

export interface Teller<A> {
  /** Waits until the queue has room. */
  readonly tell: (event: A) => Effect.Effect<void>
  /** Never waits: an event that has no room is queued before the next one. For work that is being interrupted. */
  readonly leave: (event: A) => Effect.Effect<void>
}

export const tellerOf = <A, E>(queue: Queue.Queue<A, E | Cause.Done>): Teller<A> => {
  const left: Array<A> = []
  const tell = (event: A): Effect.Effect<void> =>
    Effect.suspend(() => {
      const first = left.shift()
      return first === undefined
        ? Effect.asVoid(Queue.offer(queue, event))
        : Queue.offer(queue, first).pipe(
            // keep it for the next call
            Effect.onInterrupt(() => Effect.sync(() => left.unshift(first))),
            Effect.andThen(tell(event))
          )
    })
  return {
    tell,
    leave: (event) =>
      Effect.sync(() => {
        if (left.length > 0 || !Queue.offerUnsafe(queue, event)) left.push(event)
      })
  }
}

const readers = new WeakMap<Form<unknown>, () => PartialReader>()

/** A reader of answers that are being written. Each call of this function begins a new answer. */
const partialOf = (form: Form<unknown>): PartialReader => {
  const known = readers.get(form)
  if (known !== undefined) return known()
  const made = partialReader(form.shown.schema, { ...form.shown, wrapped: form.wrapped })
  readers.set(form, made)
  return made()
}

/** Reports one answer while it is being written: its text, and its partial value if it has a form. */
export const watchedBy = <A>(
  { leave, tell }: Teller<A>,
  form: Form<unknown> | undefined,
  events: {
    readonly text: (delta: string) => A
    readonly partial: (partial: unknown) => A
    readonly discarded: A
  }
): Watched => {
  const { discarded } = events
  const reader = form === undefined ? undefined : partialOf(form)
  const partly = (partial: unknown) => (partial === undefined ? Effect.void : tell(events.partial(partial)))
  return {
    text: (delta) => {
      const partial = reader?.push(delta)
      return Effect.andThen(tell(events.text(delta)), partly(partial))
    },
    accepted: (value) =>
      Effect.suspend(() => {
        const isOther = reader?.contradicts(value) === true
        const last = partly(reader?.end(value))
        return isOther ? Effect.andThen(tell(discarded), last) : last
      }),
    discarded: tell(discarded),
    stopped: leave(discarded)
  }
}
