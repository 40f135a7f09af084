/** Functions that are called with events, by the tag that they are for. */
import { isPromiseLike } from "effect/Predicate"
import { quoted } from "../../text/legible.ts"
import type { Place } from "./Presenter.ts"

/**
 * Gets an event, and where it happened. It should be fast, because the run waits for it. A promise that it returns is not waited for.
 *
 * @category models
 */
export type Handler<Ev> = (event: Ev, place: Place) => void

/**
 * Adds a function for the events of one tag, or for all events. Returns what removes it again.
 *
 * @category models
 */
export interface On<Ev extends { readonly _tag: string }> {
  <Tag extends Ev["_tag"]>(tag: Tag, f: Handler<Extract<Ev, { readonly _tag: Tag }>>): () => void
  (f: Handler<Ev>): () => void
}

/** A function that was added. The same function may be added more than once. */
interface Added<Ev> {
  readonly handler: Handler<Ev>
}

export class Subscriptions<Ev extends { readonly _tag: string }> {
  readonly #byTag = new Map<string, Set<Added<Ev>>>()
  readonly #all = new Set<Added<Ev>>()
  readonly #failed: (error: unknown) => void

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  readonly on = (tagOrHandler: string | Handler<Ev>, handler?: Handler<Ev>): (() => void) => {
    if (typeof tagOrHandler === "function") return this.#add(this.#all, tagOrHandler)
    if (typeof handler !== "function") {
      throw new Error(`\`on\` needs a function for the events ${quoted(tagOrHandler)} as its second argument.`)
    }
    const known = this.#byTag.get(tagOrHandler)
    const added = known ?? new Set<Added<Ev>>()
    if (known === undefined) this.#byTag.set(tagOrHandler, added)
    return this.#add(added, handler)
  }

  #add(to: Set<Added<Ev>>, handler: Handler<Ev>): () => void {
    const added = { handler }
    to.add(added)
    return () => void to.delete(added)
  }

  /** Calls the functions for the tag of an event, and then those for all events. */
  emit(event: Ev, place: Place): void {
    this.#call(this.#byTag.get(event._tag), event, place)
    this.#call(this.#all, event, place)
  }

  #call(added: ReadonlySet<Added<Ev>> | undefined, event: Ev, place: Place): void {
    if (added === undefined || added.size === 0) return
    // one that is added now gets the next event
    for (const one of Array.from(added)) {
      if (!added.has(one)) continue
      try {
        // an async function is one that returns nothing, for the types
        const returned: unknown = one.handler(event, place)
        if (isPromiseLike(returned)) returned.then(undefined, this.#failed)
      } catch (error) {
        this.#failed(error)
      }
    }
  }

  clear(): void {
    this.#byTag.clear()
    this.#all.clear()
  }
}
