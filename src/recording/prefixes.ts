/** Messages that calls share at their beginning, so that a recording has each conversation only once. */
import type { Message } from "../provider/request.ts"
import { essentialOf } from "../provider/tools.ts"

interface Place {
  readonly call: number
  readonly next: Map<string, Place>
}

export class Prefixes {
  readonly #first = new Map<string, Place>()

  /** Returns the earlier call that shares the most messages at the beginning, and how many. Remembers the messages. */
  add(
    call: number,
    messages: ReadonlyArray<Message>
  ): { readonly like: number; readonly messages: number } | undefined {
    let places = this.#first
    let like: number | undefined
    let shared = 0
    for (const message of messages) {
      const key = JSON.stringify(essentialOf(message))
      const known = places.get(key)
      const place = known ?? { call, next: new Map<string, Place>() }
      if (known === undefined) places.set(key, place)
      else {
        like = known.call
        shared++
      }
      places = place.next
    }
    return like === undefined ? undefined : { like, messages: shared }
  }
}
