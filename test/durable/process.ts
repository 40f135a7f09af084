/** A process that ends at a chosen moment: from then on nothing of it reaches its store, its model or anything else. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory, Provider, type Store } from "cogito"
import { Owner } from "../../src/pipeline/durable/options.ts"
import { Run } from "../../src/run/run.ts"
import { IdSource } from "../../src/thought/ids.ts"

/** What a process waits for that is no more. */
const gone = Effect.callback<never>(() => {})

/** What happens in a transaction before it is committed, where a store says so. */
export const InTransaction = Context.Reference<Effect.Effect<void>>("test/durable/InTransaction", {
  defaultValue: () => Effect.void
})

/** Functions of stores that change nothing. */
const reads = new Set(["load", "history", "ancestors", "children", "runs", "sketches", "waits"])

/** Where the process does something that others see: the first it comes to has the number 1. */
export interface Boundary {
  readonly at: "before" | "within" | "after"
  readonly what: string
  /** The same number at several boundaries in a row: between them, nothing has changed outside the process. */
  readonly state: number
}

/** Ids that count up, and say in which process. */
export const idsFrom = (process: number): Layer.Layer<never> =>
  Layer.sync(IdSource, () => {
    const prefix = `00000000-0000-7000-8${String(process).padStart(3, "0")}-`
    let count = 0
    return () => `${prefix}${(++count).toString(16).padStart(12, "0")}`
  })

/** At the `times`-th boundary of this kind. */
export const at =
  (where: Boundary["at"], what: string, times = 1) =>
  (boundaries: ReadonlyArray<Boundary>): boolean =>
    boundaries.filter((one) => one.at === where && one.what === what).length === times

export class Process {
  readonly boundaries: Array<Boundary> = []
  /** Calls of the model by frame, whatever became of them. */
  readonly asked: Array<string> = []
  readonly name: string
  readonly died = Deferred.makeUnsafe<void>()
  readonly #crashAt: number | ((boundaries: ReadonlyArray<Boundary>) => boolean)
  /** How many of its calls of the store go on. */
  busy = 0
  #state = 0
  #isDead = false

  constructor(name: string, crashAt: number | ((boundaries: ReadonlyArray<Boundary>) => boolean) = Infinity) {
    this.name = name
    this.#crashAt = crashAt
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Ends the process now. */
  kill(): void {
    this.#isDead = true
    Deferred.doneUnsafe(this.died, Effect.void)
  }

  /** Notes that something outside the process has changed, or the time. */
  changed(): void {
    this.#state++
  }

  /** Counts a boundary, and says whether the process has ended at it, or before. */
  #ends(boundary: Omit<Boundary, "state">): boolean {
    if (this.#isDead) return true
    const { boundaries } = this
    const number = boundaries.push({ ...boundary, state: this.#state })
    const crashAt = this.#crashAt
    if (typeof crashAt === "number" ? number === crashAt : crashAt(boundaries)) this.kill()
    return this.#isDead
  }

  #pass(boundary: Omit<Boundary, "state">): Effect.Effect<void> {
    return Effect.suspend(() => (this.#ends(boundary) ? gone : Effect.void))
  }

  /** What others see of the process, with a boundary on either side. */
  doing<A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const changed = Effect.sync(() => this.changed())
    return Effect.onExit(Effect.andThen(Effect.andThen(this.#pass({ at: "before", what }), changed), effect), () =>
      Effect.andThen(changed, this.#pass({ at: "after", what }))
    )
  }

  /** What nobody sees. */
  #alive<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const busy = Effect.acquireUseRelease(
      Effect.sync(() => this.busy++),
      () => effect,
      () => Effect.sync(() => this.busy--)
    )
    return Effect.suspend(() => (this.#isDead ? gone : busy))
  }

  /** A write, which the store takes back if the process ends within its transaction. */
  #writing<A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const within = Effect.suspend(() =>
      this.#ends({ at: "within", what }) ? Effect.die(new Error("the process has ended")) : Effect.void
    )
    return this.doing(what, this.#alive(Effect.provideService(effect, InTransaction, within)))
  }

  store(store: Store.Store): Store.Store {
    const { ledger } = store
    // time must not go on while something is read
    const alive = (value: unknown): unknown => (Effect.isEffect(value) ? this.#alive(value) : value)
    const call = (name: string, use: (...args: ReadonlyArray<unknown>) => unknown, args: ReadonlyArray<unknown>) => {
      if (!reads.has(name)) this.changed()
      return alive(use(...args))
    }
    const reading = <A extends object>(part: A): A =>
      Object.fromEntries(
        Object.entries(part).map(([name, value]) => [
          name,
          typeof value === "function" ? (...args: ReadonlyArray<unknown>) => call(name, value, args) : alive(value)
        ])
        // each function returns what it returned
      ) as A
    return {
      ...reading(store),
      commit: (scope, commit) => this.#writing("commit", store.commit(scope, commit)),
      append: (scope, ref, notes) => this.#writing("append", store.append(scope, ref, notes)),
      ledger: {
        ...reading(ledger),
        record: (scope, rows) => this.#writing("record", ledger.record(scope, rows)),
        claim: (scope, id, lease) => this.#writing("claim", ledger.claim(scope, id, lease)),
        answer: (scope, wait, answer) => this.#writing("answer", ledger.answer(scope, wait, answer))
      }
    }
  }

  /** A model as this process asks it. */
  provider({ complete, decide, ...provider }: Provider.Shape): Provider.Shape {
    const asking = <A, E>(call: Effect.Effect<A, E>) =>
      this.doing(
        "call",
        Effect.flatMap(Run, ({ frame, journal }) => {
          this.asked.push(`${journal?.runId} ${frame?.key}`)
          return call
        })
      )
    return {
      ...provider,
      complete: (request) => asking(complete(request)),
      ...(decide === undefined ? {} : { decide: (request) => asking(decide(request)) })
    }
  }

  /** The services of a program in this process. Ids that it makes begin with its number. */
  layer(store: Store.Store, provider: Provider.Shape, ids = 0) {
    return Layer.fresh(
      Layer.mergeAll(
        Layer.effect(Memory.Memory, Memory.make({ store: this.store(store), scope: "local", embedder: "none" })),
        Layer.succeed(Provider.Provider, this.provider(provider)),
        Layer.succeed(Owner, this.name),
        idsFrom(ids)
      )
    )
  }
}
