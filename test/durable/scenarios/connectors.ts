/** Every connector around one step, with as little of its own as it needs. */
import { Context } from "effect"
import { Pipeline, Primitive, Step } from "cogito"
import { again, asks, decided, does, type Inside } from "./parts.ts"

export type Connector = (step: Step.Any, inside: Inside) => Step.Any

const Tag = Context.Service<string>("test/durable/Tag")

/** By the name of what makes it. */
export const connectors: Readonly<Record<string, Connector>> = {
  sequence: (step, { name }) => Pipeline.sequence(name, [step, asks(`${name} z`)]),
  andThen: (step, { name }) => Pipeline.sequence(name, [Step.andThen(step, asks(`${name} z`))]),
  when: (step, inside) => {
    const { name } = inside
    return Pipeline.sequence(name, [asks(`${name} a`).pipe(Step.when(`${name} if`, decided(inside, true), step))])
  },
  filter: (step, inside) =>
    Pipeline.filter(inside.name, { when: decided(inside, false), step: asks(`${inside.name} a`), otherwise: step }),
  switch: (step, inside) =>
    Pipeline.switch(inside.name, { on: decided<string>(inside, "this"), branches: { this: step }, default: "pass" }),
  gate: (step, inside) => Pipeline.gate(inside.name, { check: decided(inside, "pass" as const), step }),
  gen: (step, inside) => {
    const last = does(inside, `${inside.name} z`)
    const body = function* () {
      try {
        yield* again(inside)
        yield* Pipeline.ask(step)
      } finally {
        yield* Pipeline.ask(last)
      }
    }
    return Pipeline.gen(inside.name, body, { steps: [step, last] })
  },
  retry: (step, { name }) => Step.retry(step, { times: 2, name }),
  backoff: (step, { name }) => Step.backoff(step, { times: 2, base: 20, name }),
  timeout: (step, { name }) => Step.timeout(step, 300, { name }),
  recover: (step, { name }) => Step.recover(asks(`${name} a`, "(fails)"), step, { name }),
  handle: (step, inside) =>
    Step.retry(
      Step.handle(step, () => again(inside)),
      { name: inside.name }
    ),
  enrich: (step, { name }) => {
    const bad = Pipeline.sequence(`${name} bad`, [step, asks(`${name} a`, "(fails)")])
    return Step.enrich(bad, { report: `${name} why`, name })
  },
  named: (step, { name }) => Step.named(step, name),
  provide: (step, { name }) => Pipeline.sequence(name, [Step.provide(step, Context.make(Tag, "given"))]),
  budget: (step, { name }) => Step.budget(step, { calls: 40, tokens: 100_000, name }),
  rateLimit: (step, { name }) => Step.rateLimit(step, { limit: 1, per: 30, name }),
  circuitBreaker: (step, { name }) => Step.circuitBreaker(step, { failures: 3, reset: 20, name }),
  workerLimit: (step, { name }) => Step.workerLimit(step, { workers: 1, name }),
  fallback: (step, { name }) => Pipeline.fallback(name, [asks(`${name} a`, "(fails)"), step]),
  concurrent: (step, { name }) => Pipeline.concurrent(name, { one: step, other: asks(`${name} b`, "(takes 10)") }),
  race: (step, { name }) => Pipeline.race(name, { one: step, other: asks(`${name} b`, "(takes 1000)") }),
  contest: (step, { name }) => {
    const branches = { other: asks(`${name} b`), one: step }
    return Pipeline.contest(name, branches, { accept: (thought) => thought.note(`${name} b`) === undefined })
  },
  scaffold: (step, { name }) => Pipeline.scaffold(name, { step }),
  introspect: (step) => Pipeline.introspect(step, { prompt: "What does it mean?" }),
  compact: (step, { name }) => {
    const two = Pipeline.sequence(name, [step, asks(`${name} z`)])
    return Pipeline.compact(two, { turns: 2, keep: 0, summaryKey: `${name} summary` })
  },
  sift: (step, { name }) => Primitive.sift(name, { question: "Go on?", step }),
  discern: (step, { name }) =>
    Primitive.discern(name, { question: "Where?", routes: { this: step, that: { when: "else" } } }),
  converge: (step, { name }) => Primitive.converge(name, { branches: { one: step }, prompt: "Sum up" })
}

/** Those that ask again, which need a step that fails. */
export const asksAgain = new Set(["retry", "backoff", "handle"])
