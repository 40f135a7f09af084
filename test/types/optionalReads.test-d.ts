import { type Effect, Schema } from "effect"
import { Note, Pipeline, type Primitive, Step, type Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { same } from "./same.ts"

// A step whose reads are all optional runs on any thought, also on one that has no note that it reads.

type Approved = Thought.Thought<{ readonly approval?: Primitive.Approval }>
const sent = Step.make("sent", {
  schema: Schema.String,
  run: (thought: Approved) => String(thought.note("approval")?.content)
})
const both = Pipeline.sequence("both", [
  Step.make("loud", { schema: Schema.String, run: Note.from(Note.handle("message", Schema.String), (it) => `${it}!`) }),
  sent
])
declare const other: Thought.Thought<{ readonly other: number }>
interface Notes {
  readonly other: number
}

{
  const done = Pipeline.run(sent, other)
  same<Effect.Success<typeof done>, Thought.Thought<{ readonly other: number; readonly sent: string }>>(true)
  void Pipeline.run(sent, {} as Thought.Thought)
  void Pipeline.run(sent, {} as Thought.Thought<Notes>, { durable: true })
  void Pipeline.stream(sent, other)
  void Pipeline.runPromise(sent, { intent: "x", notes: { other: "" } }, { layer: Testing.memory })
  void Agent.say(sent, other, "Is it sent?")
  const ai = Cogito.make([Testing.memory])
  void ai.run(sent, { intent: "x", notes: { other: "" } })
  void ai.run(sent, other)
  void ai.stream(sent, other)
  // any helper that runs a step on a thought that has what it reads
  const helper = <S extends Step.Any>(step: S, thought: Thought.Thought<Step.In<S>>) => Pipeline.run(step, thought)
  void helper(both, {} as Thought.Thought<{ readonly message: string }>)
}

// A note of another type, and a required one that is absent, are refused as ever.
{
  // @ts-expect-error Type 'number' is not assignable to type 'Approval'
  void Pipeline.run(sent, {} as Thought.Thought<{ readonly approval: number }>)
  // @ts-expect-error Property 'message' is missing in type '{ readonly other: number; }'
  void Pipeline.run(both, other)
  // @ts-expect-error "the thought lacks notes that the step reads": "message"
  void Pipeline.runPromise(both, { intent: "x", notes: { other: "" } }, { layer: Testing.memory })
}
