/** An agent that plans trips, with tools of every sort. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Tool, Toolkit } from "effect/ai"
import { type Memory, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"

const City = Schema.Struct({ city: Schema.String })

const weather = Tool.make("weather", {
  description: "The weather of a city",
  parameters: City,
  success: Schema.Struct({ celsius: Schema.Finite })
}).annotate(Tool.Readonly, true)
export const page = Tool.make("page", { parameters: City, success: Schema.String }).annotate(Tool.Readonly, true)
const lost = Tool.make("lost", { parameters: City, success: Schema.String, failure: Schema.String }).annotate(
  Tool.Readonly,
  true
)
const returned = Tool.make("returned", {
  parameters: City,
  success: Schema.String,
  failure: Schema.String,
  failureMode: "return"
}).annotate(Tool.Readonly, true)
const note = Tool.make("note", { parameters: City, success: Schema.String })
const book = Tool.make("book", { parameters: City, success: Schema.String }).annotate(Tool.Destructive, true)

export const toolkit = Toolkit.make(weather, page, lost, returned, note, book)

/** What handlers have done, in order. */
export class Done {
  readonly all: Array<string> = []
  page = "nothing"
  readonly handlers = toolkit.of({
    weather: ({ city }) => this.#does(`weather ${city}`, { celsius: city.length }),
    page: ({ city }) =>
      Effect.andThen(
        this.#does(`page ${city}`, ""),
        Effect.sync(() => this.page)
      ),
    lost: ({ city }) => Effect.andThen(this.#does(`lost ${city}`, ""), Effect.fail(`${city} is not there`)),
    returned: ({ city }) => Effect.andThen(this.#does(`returned ${city}`, ""), Effect.fail(`${city} was returned`)),
    note: ({ city }) => this.#does(`note ${city}`, "noted"),
    book: ({ city }) => this.#does(`book ${city}`, "booked")
  })
  readonly layer = toolkit.toLayer(this.handlers)
  #does<A>(what: string, value: A): Effect.Effect<A> {
    return Effect.sync(() => {
      this.all.push(what)
      return value
    })
  }
}

export const guide = Agent.make("guide", { instructions: "You plan trips.", triage: false, toolkit })

export const start = Thought.make("trip", { message: "Is Porto warm?" })

/** Runs a program with a model, the tools and a memory. */
export const on = (
  model: Testing.Scripted,
  done: Done = new Done(),
  memory: Layer.Layer<Memory.Memory> = Testing.memory as Layer.Layer<Memory.Memory>
) => {
  const services = Layer.mergeAll(model.layer, done.layer, memory)
  return <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof services>>): Effect.Effect<A, E> =>
    Effect.provide(program, services)
}

export const calls = (...names: ReadonlyArray<readonly [name: string, city?: unknown]>) =>
  Testing.calls(
    names.map(([name, city = "Ulm"]) => ({
      name,
      params: typeof city === "string" && !city.startsWith("{") ? { city } : city
    }))
  )
