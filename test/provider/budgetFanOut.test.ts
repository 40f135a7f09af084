import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Schedule, Stream } from "effect"
import { Budget, Provider } from "cogito"

// What a provider really bills, seen by the provider alone, never passes a limit: in random trees of calls that run side by
// side, fail, are repeated, are cut off and share budgets.

const runs = Number(process.env.COGITO_BUDGET_RUNS ?? 300)

/** Reproducible chance (mulberry32). */
const chance = (seed: number) => {
  let state = seed
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (n: number) => Math.floor(unit() * n)
  return { unit, below, pick: <A>(from: ReadonlyArray<A>): A => from[below(from.length)] as A }
}
type Chance = ReturnType<typeof chance>

// ---------------------------------------------------------------------------------------------------- what is observed

interface Limits {
  calls: number
  tokens: number
  usd: number
}

/** A budget, and what calls within it have really come to. */
interface Watched {
  readonly budget: Budget.Budget
  readonly limits: Limits
  readonly billed: { calls: number; tokens: number; usd: number }
  /** What calls under way can still bill at most. */
  readonly open: { tokens: number; usd: number }
  /** What the budget has to say in the end. */
  readonly booked: { tokens: number; usd: number }
}

const Around = Context.Reference<ReadonlyArray<Watched>>("test/Around", { defaultValue: () => [] })

const near = 1e-7

/** Nothing is ever above a limit: not what was billed, nor what the budget says. */
const holds = (all: ReadonlyArray<Watched>) =>
  Effect.forEach(
    all,
    ({ billed, budget, limits, open }) =>
      Effect.gen(function* () {
        const spent = yield* budget.spent
        const reserved = yield* budget.reserved
        assert.isAtMost(billed.calls, limits.calls)
        assert.isAtMost(billed.tokens + open.tokens, limits.tokens)
        assert.isAtMost(billed.usd + open.usd, limits.usd + near)
        assert.isAtMost(spent.calls + reserved.calls, limits.calls)
        assert.isAtMost(spent.tokens + reserved.tokens, limits.tokens)
        assert.isAtMost(spent.usd + reserved.usd, limits.usd + 1e-12)
      }),
    { discard: true }
  )

// ------------------------------------------------------------------------------------------------------- the provider

const prices: Provider.Prices = { input: 0.37, output: 2.1, cachedInput: 0.037, cacheWrite: 0.4625, asOf: "2026-11-01" }
const dearestInput = 0.4625

const free = ["RateLimited", "QuotaExhausted", "Authentication", "ContextTooLong", "Connection", "Overloaded"] as const
const unknown = ["Timeout", "Truncated", "EmptyAnswer", "InvalidResponse", "Refused"] as const

const failure = (tag: (typeof free | typeof unknown)[number], usage?: Provider.Usage) =>
  new Provider.ProviderError({
    provider: "fake",
    model: "fake-1",
    reason: { _tag: tag, message: "by chance" },
    ...(usage && { usage })
  })

/** What can come in with a prompt, as the library reckons: learned from a call that nobody says the usage of. */
const inputBound = new Map<string, number>()

const fake = (random: Chance) =>
  Provider.make({
    name: "fake",
    model: "fake-1",
    capabilities: { prices, outputTokens: 900 },
    complete: (request) =>
      Effect.flatMap(begin(random, request, false), ({ answer, end }) => Effect.ensuring(answer, end)),
    stream: (request) =>
      Stream.unwrap(
        Effect.map(begin(random, request, true), ({ answer, end }) => {
          const first = Stream.fromArray<Provider.StreamPart>([
            { _tag: "Text", delta: "a" },
            { _tag: "Text", delta: "b" }
          ])
          const last = Stream.map(Stream.fromEffect(answer), (response) => ({ _tag: "Done" as const, response }))
          return Stream.ensuring(Stream.concat(first, last), end)
        })
      )
  })

/** A call arrives: what its answer will be, and its end if it is cut off. Of a stream, some text comes before. */
const begin = (random: Chance, request: Provider.Request, hasText: boolean) =>
  Effect.gen(function* () {
    const around = yield* Around
    const text = request.messages.map((message) => message.text).join("")
    const { maxTokens = 900 } = request.sampling
    const mostInput = new TextEncoder().encode(text).length
    const bound = inputBound.get(text) as number
    const most = { tokens: mostInput + maxTokens, usd: (mostInput * dearestInput + maxTokens * prices.output) / 1e6 }
    const mostBooked = { tokens: bound + maxTokens, usd: (bound * dearestInput + maxTokens * prices.output) / 1e6 }
    for (const one of around) {
      one.billed.calls += 1
      one.open.tokens += most.tokens
      one.open.usd += most.usd
    }
    const inputTokens = random.below(mostInput + 1)
    const cachedInputTokens = random.below(inputTokens + 1)
    const outputTokens = random.below(maxTokens + 1)
    const usage: Provider.Usage = { inputTokens, cachedInputTokens, outputTokens }
    const cost = { tokens: inputTokens + outputTokens, usd: Provider.costOf(usage, prices) }
    let isOpen = true
    /** The call has ended: it is billed so much, and booked with so much. */
    const end = (billed: typeof cost, booked: typeof cost) => {
      if (!isOpen) return
      isOpen = false
      for (const one of around) {
        one.open.tokens -= most.tokens
        one.open.usd -= most.usd
        one.billed.tokens += billed.tokens
        one.billed.usd += billed.usd
        one.booked.tokens += booked.tokens
        one.booked.usd += booked.usd
      }
    }
    const answer = Effect.gen(function* () {
      for (let left = random.below(6); left > 0; left--) yield* Effect.yieldNow
      const nothing = { tokens: 0, usd: 0 }
      switch (random.below(8)) {
        case 0:
          if (hasText) end(cost, mostBooked)
          else end(nothing, nothing)
          return yield* failure(random.pick(free))
        case 1:
          end(cost, mostBooked)
          return yield* failure(random.pick(unknown))
        case 2:
          end(cost, cost)
          return yield* failure(random.pick([...free, ...unknown]), usage)
        case 3:
          end(cost, mostBooked)
          return { text: "", usage: {} }
        default:
          end(cost, cost)
          return { text: "", usage }
      }
    })
    yield* holds(around)
    // what is cut off may be billed with anything up to the most
    return { answer, end: Effect.sync(() => end(cost, mostBooked)) }
  })

// ---------------------------------------------------------------------------------------------------- random programs

const requestOf = (text: string, maxTokens: number | undefined): Provider.Request => ({
  messages: [
    { role: "system", text: "Be brief. " },
    { role: "user", text }
  ],
  task: { kind: "test", instruction: "", questions: [], context: [] },
  phase: "reason",
  sampling: maxTokens === undefined ? {} : { maxTokens }
})

const texts = ["hello", "žluťoučký kůň 🐎".repeat(8), "x".repeat(700)]

type Program = Effect.Effect<unknown, unknown>

const watched = (random: Chance): Watched => {
  const limits = {
    calls: random.below(2) === 0 ? Infinity : 1 + random.below(12),
    tokens: random.below(3) === 0 ? Infinity : random.below(9_000),
    usd: random.below(3) === 0 ? Infinity : random.below(12_000) / 1e6
  }
  if (limits.calls + limits.tokens + limits.usd === Infinity && limits.tokens === limits.usd) limits.calls = 5
  const said = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit < Infinity))
  return {
    budget: Budget.make({ ...said, onShort: random.pick(["wait", "wait", "wait", "fail"]) }),
    limits,
    billed: { calls: 0, tokens: 0, usd: 0 },
    open: { tokens: 0, usd: 0 },
    booked: { tokens: 0, usd: 0 }
  }
}

const within = (one: Watched, self: Program): Program =>
  Effect.flatMap(Around, (around) =>
    self.pipe(
      Effect.provideService(Around, around.includes(one) ? around : [...around, one]),
      Provider.withBudget(one.budget)
    )
  )

const program = (random: Chance, provider: Provider.Shape, budgets: ReadonlyArray<Watched>, depth: number): Program => {
  const inner = () => program(random, provider, budgets, depth - 1)
  if (depth === 0) {
    const request = requestOf(random.pick(texts), random.pick([undefined, 40, 300]))
    switch (random.below(6)) {
      case 0:
        return Stream.runCollect(provider.stream(request))
      case 1:
        return Stream.runDrain(Stream.take(provider.stream(request), 1 + random.below(2)))
      default:
        return provider.complete(request)
    }
  }
  switch (random.below(7)) {
    case 0:
      return within(random.pick(budgets), inner())
    case 1:
      return Effect.retry(inner(), { times: 1 + random.below(2), schedule: Schedule.recurs(2) })
    case 2: {
      const self = inner()
      const yields = random.below(10)
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(self)
        for (let left = yields; left > 0; left--) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      })
    }
    case 3:
      return Effect.race(inner(), inner())
    case 4: {
      const one = random.pick(budgets)
      const more = random.below(500)
      const raise = Effect.suspend(() => {
        if (one.limits.tokens === Infinity) return Effect.void
        one.limits.tokens += more
        return one.budget.add({ tokens: more })
      })
      return Effect.andThen(raise, inner())
    }
    default: {
      const many = Array.from({ length: 2 + random.below(4) }, inner)
      const all = random.below(2) === 0 ? many : many.map((self) => Effect.exit(self))
      return Effect.all(all, { concurrency: random.pick([2, "unbounded"]), discard: true })
    }
  }
}

const learnBounds = Effect.forEach(texts, (text) =>
  Effect.gen(function* () {
    const request = requestOf(text, 40)
    const silent = Provider.make({
      name: "silent",
      model: "m",
      complete: () => Effect.succeed({ text: "", usage: {} })
    })
    const budget = Budget.make({ tokens: 1_000_000 })
    yield* Provider.withBudget(budget)(silent.complete(request))
    inputBound.set(request.messages.map((message) => message.text).join(""), (yield* budget.spent).tokens - 40)
  })
)

const once = (seed: number) =>
  Effect.gen(function* () {
    const random = chance(seed)
    const budgets = [watched(random), watched(random), watched(random)]
    const [first] = budgets as [Watched, ...Array<Watched>]
    const bare = fake(random)
    // half of the runs through layers that repeat calls of their own
    const provider =
      random.below(2) === 0
        ? bare
        : Provider.extend(bare, { complete: (request) => Effect.retry(bare.complete(request), { times: 1 }) })
    const all = Array.from({ length: 2 }, () => program(random, provider, budgets, 1 + random.below(4)))
    const done = yield* within(
      first,
      Effect.forEach(all, (one) => Effect.exit(one), { concurrency: "unbounded" })
    ).pipe(Effect.timeoutOption("20 seconds"))
    assert.strictEqual(done._tag, "Some", "it has an end")
    // the loser of a race may end later than the race
    for (let left = 100; left > 0; left--) yield* Effect.yieldNow
    yield* holds(budgets)
    for (const { billed, booked, budget, limits } of budgets) {
      assert.deepEqual(yield* budget.reserved, { calls: 0, tokens: 0, usd: 0 })
      const spent = yield* budget.spent
      assert.strictEqual(spent.calls, billed.calls)
      assert.strictEqual(spent.tokens, booked.tokens)
      assert.approximately(spent.usd, booked.usd, near)
      assert.isAtLeast(booked.tokens, billed.tokens)
      assert.isAtMost(billed.tokens, limits.tokens)
    }
    return first.billed.calls
  }).pipe(Effect.catchDefect((defect) => Effect.die(new Error(`seed ${seed}: ${String(defect)}`, { cause: defect }))))

it.live(
  "never passes a limit, whatever happens to the calls",
  () =>
    Effect.gen(function* () {
      yield* learnBounds
      let calls = 0
      for (let seed = 1; seed <= runs; seed++) calls += yield* once(seed)
      assert.isAbove(calls, runs)
    }),
  { timeout: 7_200_000 }
)
