import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as forms from "../arguments/forms.ts"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Memory } from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import { changed, Run } from "../run/run.ts"
import * as Step from "../step/runtime/model.ts"
import { quoted } from "../text/legible.ts"
import { gather } from "../thought/gathered.ts"
import type { Thought } from "../thought/model.ts"
import type { Read } from "../thought/types.ts"
import * as Note from "../thought/Note.ts"
import * as Thoughts from "../thought/Thought.ts"
import { hasResults, noteOfCall, toolSource } from "./calls/conversation.ts"
import { Nested } from "./model/nested.ts"
import { reasonOf } from "./model/reason.ts"

/**
 * A step as a tool.
 *
 * **Details**
 *
 * - `tool`: for `Toolkit.make`. It can be annotated further, such as with `Tool.Readonly`
 * - `layer`: its handler, which needs what the step needs
 *
 * @category models
 */
export interface StepTool<N extends string, F extends Schema.Struct.Fields, A, R> {
  readonly tool: Tool.Tool<
    N,
    {
      readonly parameters: Schema.Struct<F>
      readonly success: Schema.Codec<A, any>
      readonly failure: typeof Schema.String
      readonly failureMode: "error"
    }
  >
  readonly layer: Layer.Layer<Tool.Handler<N>, never, R | Memory>
}

/**
 * Makes a tool of a step: another agent, a primitive, or a whole pipeline.
 *
 * **Details**
 *
 * The parameters become notes of a new thought below that of the agent, under their names; the step runs on it, and the note of
 * `answer` is the result. The step sees nothing else of the agent's conversation. If it fails, the model sees why.
 *
 * Inside an agent the step is a part of the agent's run: a durable run repeats nothing of it, and if it waits for an answer, the run
 * waits. The tool of an agent counts as `Tool.Readonly`, since the inner agent judges its own calls; after results of tools in the outer
 * conversation, so does the inner one. The tool of any other step asks like every tool that sets no annotation.
 *
 * - `description`: what the model reads of it
 * - `parameters`: a struct whose fields are the notes that the step reads
 * - `answer`: the handle of the result. Default: the step itself, which is one for agents and primitives. Throws if it is not
 *
 * **Example** (An agent that asks another one)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const poet = Agent.make("poet", { instructions: "You write one line.", toolkit: Toolkit.empty, triage: false })
 * const line = Agent.asTool("line", poet, {
 *   description: "Writes a line about something",
 *   parameters: Schema.Struct({ message: Schema.String })
 * })
 * const editor = Agent.make("editor", {
 *   instructions: "You make poems of lines.",
 *   toolkit: Toolkit.make(line.tool),
 *   triage: false
 * })
 *
 * const model = Testing.scripted([
 *   Testing.calls([{ name: "line", params: { message: "rain" } }]),
 *   "Rain on the roof.",
 *   "A poem: Rain on the roof."
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Agent.say(editor, yield* Thought.make("poems"), "A poem about rain")
 *   assert.equal(done.get("answer"), "A poem: Rain on the roof.")
 *   assert.deepEqual(Thought.history(done, "editor.line").map(({ content }) => content), [
 *     `{"message":"rain"}`,
 *     "Rain on the roof."
 *   ])
 * })
 *
 * await Effect.runPromise(
 *   program.pipe(Effect.provide(line.layer), Effect.provide(Layer.merge(model.layer, Testing.memory)))
 * )
 * ```
 *
 * @category constructors
 */
export const asTool: {
  // a failure of any type becomes a text for the model, and the key of the answer does not matter
  <const N extends string, F extends Schema.Struct.Fields, A, In, R>(
    name: N,
    step: Schema.Struct.Type<F> extends Read<In> ? Step.Keyed<any, A, In, any, R> : never,
    options: { readonly description: string; readonly parameters: Schema.Struct<F> }
  ): StepTool<N, F, A, R>
  <const N extends string, F extends Schema.Struct.Fields, K extends string, A, In, R>(
    name: N,
    step: Schema.Struct.Type<F> extends Read<In> ? Step.Step<In, { readonly [P in K]: A }, any, R> : never,
    options: {
      readonly description: string
      readonly parameters: Schema.Struct<F>
      readonly answer: Note.Handle<K, A>
    }
  ): StepTool<N, F, A, R>
} = taking("Agent.asTool", {
  args: [kinds.text, kinds.step],
  options: 2,
  needs: ["parameters"],
  known: {
    ...forms.others("parameters", "answer"),
    description: forms.option("What the model reads of it.", forms.notEmpty)
  }
  // typed above, where the types of the parameters and of the answer are known
})((
  name: string,
  step: Step.Any,
  {
    answer = step as unknown,
    description,
    parameters
  }: {
    readonly description: string
    readonly parameters: Schema.Struct<Schema.Struct.Fields>
    readonly answer?: unknown
  }
): any => {
  if (!Note.isHandle(answer)) {
    throw new Error(`The tool ${quoted(name)} needs \`answer\`: the handle of the note that is the result of its step.`)
  }
  const made = Tool.make(name, { description, parameters, success: answer.schema, failure: Schema.String })
  const annotated = step.node.kind === "agent" ? made.annotate(Tool.Readonly, true) : made
  const tool = annotated.annotate(Nested, { node: step.node, tools: toolsOf(step) })
  const handles = Object.entries(parameters.fields).map(([key, schema]) =>
    // a struct has a schema for each field
    Note.handle(key, schema as Schema.Codec<unknown, any>)
  )
  const handler = (
    params: Readonly<Record<string, unknown>>,
    { toolCallId }: { readonly toolCallId?: string | undefined }
  ) =>
    Effect.gen(function* () {
      const run = yield* Run
      const begun = yield* beginning(name, handles, params, run.given, toolCallId)
      run.journal?.apart.add(begun.id)
      const done = yield* run.id === undefined
        ? Pipeline.run(step, begun, { durable: true })
        : Effect.provideService(
            step[Step.TypeId].run(begun),
            Run,
            changed(run, { given: begun, progress: { thought: undefined } })
          )
      const note = done.note(answer.key)
      yield* gather(() => (note === undefined ? [] : [note]))
      if (note === undefined || note.redacted !== undefined) {
        return yield* Effect.fail("It was carried out, and a redaction has removed its result.")
      }
      return done.get(answer.key) as unknown
    }).pipe(Effect.mapError(reasonOf))
  // the handlers that the layer was built with, also where the program has others of the same names
  const bound = Effect.map(Effect.context(), (built) => ({
    [name]: (...args: Parameters<typeof handler>) =>
      Effect.updateContext(handler(...args), (context: Context.Context<any>) => withHandlersOf(built, context))
  }))
  return { tool, layer: Toolkit.make(tool).toLayer(bound) }
})

/** The tools of an agent. */
const toolsOf = (step: Step.Any): ReadonlyArray<Tool.Any> =>
  // only agents have a toolkit
  "toolkit" in step ? Object.values((step.toolkit as Toolkit.Toolkit<Record<string, Tool.Any>>).tools) : []

/** The keys of handlers in a context. */
const handlerPrefix = "effect/ai/Tool/"

const withHandlersOf = (built: Context.Context<never>, context: Context.Context<any>): Context.Context<any> =>
  Context.makeUnsafe(
    new Map([...context.mapUnsafe, ...[...built.mapUnsafe].filter(([key]) => key.startsWith(handlerPrefix))])
  )

/** The thought that a step begins with. Its notes are as trustworthy as the conversation that the model has seen. */
const beginning = Effect.fnUntraced(function* (
  name: string,
  handles: ReadonlyArray<Note.Handle<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
  given: Thought<any> | undefined,
  callId: string | undefined
) {
  const call = given && callId !== undefined ? noteOfCall(given, callId) : undefined
  const source = given !== undefined && hasResults(given) ? toolSource : "agent"
  let thought: Thought<any> = yield* Thoughts.make(name, {}, given === undefined ? {} : { parent: given })
  for (const handle of handles) {
    const value = params[handle.key]
    if (value === undefined) continue
    thought = yield* Effect.orDie(
      Thoughts.write(thought, handle, value, {
        source,
        trust: "untrusted",
        ...(call === undefined ? {} : { derivedFrom: [call.id] })
      })
    )
  }
  return thought
})
