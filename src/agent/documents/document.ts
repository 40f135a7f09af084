import * as Schema from "effect/Schema"
import * as kinds from "../../arguments/kinds.ts"
import { oneOf, option, others } from "../../arguments/forms.ts"
import { taking } from "../../arguments/taking.ts"
import { stepNamed, whole } from "../../arguments/checked.ts"
import type { Shape } from "../../provider/Shape.ts"
import { hash128 } from "../../text/hash.ts"
import { quoted } from "../../text/legible.ts"
import * as Note from "../../thought/Note.ts"
import type { Document, Field } from "../model/Document.ts"
import { kindOf } from "./fields.ts"

type Part = string | ReadonlyArray<string> | { readonly [name: string]: string }

/** The fields of a document: texts, lists of texts, and records of texts. */
type Parts = Readonly<Record<string, Schema.Codec<any, any>>>

type Content<F extends Schema.Struct.Fields> = { readonly [P in keyof F]?: F[P]["Type"] }

/** Most items of a list or a record. */
const mostItems = 20
/** Below the most that a trace id can have, as that of what is still to be learned is longer. */
const longestTraceId = 240

/**
 * Makes a document: what agents with it learn of a user or a task, and see in later conversations.
 *
 * **Details**
 *
 * The fields of the schema are texts, arrays of texts, or records of texts. A text of a document has at most 500 characters.
 *
 * - `of`: what there is one document for. That of a `"user"` is seen where `Agent.say` gives the user, that of a `"task"` on thoughts
 *   that have a `taskId`
 * - `limits`: the most items of lists and records, by field. Default 20. The newest are kept
 * - `provider`: who is asked to bring it up to date, such as a small model. Default: who answers for the agent
 *
 * Throws if a field has another schema, or if the key has other characters than letters, digits, `_` and `-`.
 *
 * **Example** (What a shop knows of its customers)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const customer = Agent.document(
 *   "customer",
 *   Schema.Struct({ sizes: Schema.Record(Schema.String, Schema.String), dislikes: Schema.Array(Schema.String) }),
 *   { of: "user", limits: { dislikes: 5 } }
 * )
 *
 * // what is known already; agents with `documents: [customer]` add to it
 * const program = Effect.gen(function*() {
 *   const traceId = customer.traceId("ann")
 *   yield* Memory.commit(yield* Thought.make("customer", { customer: `{"sizes":{"shoe":"39"}}` }, { traceId }))
 *   const known = yield* Thought.read(yield* Memory.load({ traceId }), customer)
 *   assert.deepEqual(known, { sizes: { shoe: "39" } })
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category documents
 */
export const document: <const K extends string, F extends Schema.Struct.Fields>(
  key: K,
  schema: Schema.Struct<F> &
    ([F[keyof F]["Type"]] extends [Part]
      ? unknown
      : { readonly "a document has texts, arrays of texts and records of texts": never }),
  options: {
    readonly of: "user" | "task"
    readonly limits?: { readonly [P in keyof F]?: number }
    readonly provider?: Shape
  }
) => Document<K, Content<F>> = taking("Agent.document", {
  args: [kinds.text, undefined],
  options: 2,
  known: {
    ...others("limits", "provider"),
    of: option("What there is one document for.", oneOf("user", "task"))
  }
  // typed above, where the fields are known
})((
  key: string,
  schema: any,
  {
    limits = {},
    of,
    provider
  }: {
    readonly of: "user" | "task"
    readonly limits?: Readonly<Record<string, number | undefined>>
    readonly provider?: Shape
  }
): any => {
  const owner = `The document ${quoted(key)}`
  // a key is a part of trace ids, in which a colon ends it
  if (!/^[\w-]{1,100}$/.test(key)) {
    throw new Error(
      `${owner} has a key with other characters than letters, digits, _ and -, or with more than 100 of them.`
    )
  }
  const parts = Schema.isSchema(schema) ? (schema as { readonly fields?: Parts }).fields : undefined
  if (parts === undefined) throw new Error(`${owner} needs a Schema.Struct, whose fields are those of the document.`)
  const fields = Object.entries(parts).map(([name, part]): Field => {
    const kind = kindOf(part.ast)
    if (kind === undefined) {
      throw new Error(
        `${owner} has a field ${quoted(name)} that is no text, array of texts or record of texts: use Schema.String, ` +
          `Schema.Array(Schema.String) or Schema.Record(Schema.String, Schema.String).`
      )
    }
    const most = limits[name] ?? mostItems
    whole(stepNamed(key), `limits.${name}`, 1, most)
    return { name, kind, most }
  })
  const unknown = Object.keys(limits).find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined) throw new Error(`${owner} has no field ${quoted(unknown)}, for which a limit is set.`)
  const optional = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, Schema.optionalKey(part)]))
  const made: Document<string, any> = {
    ...Note.handle(key, Schema.Struct(optional)),
    of,
    fields,
    provider,
    traceId: (id) => {
      const traceId = `${key}:${id}`
      return traceId.length <= longestTraceId ? traceId : `${key}:#${hash128(id)}`
    }
  }
  return made
})

const Text = Schema.String
const Texts = Schema.Array(Schema.String)
const Named = Schema.Record(Schema.String, Schema.String)

/**
 * What is known of a user: preferences, goals, expertise, the style of communication, and projects.
 *
 * See `Agent.make` for how agents use documents, and the page about agents for an example.
 *
 * **Details**
 *
 * It has at most 20 preferences, 10 goals, 15 areas of expertise and 10 projects. Its thought has the trace id `profile:<user>`.
 *
 * **Example** (Where it is stored)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Agent } from "cogito/agent"
 *
 * assert.equal(Agent.Profile.traceId("ann"), "profile:ann")
 * ```
 *
 * @category documents
 */
export const Profile = document(
  "profile",
  Schema.Struct({ preferences: Named, goals: Texts, expertise: Texts, communicationStyle: Text, projects: Named }),
  { of: "user", limits: { goals: 10, expertise: 15, projects: 10 } }
)

/**
 * What is known of a task: its objective, the hypothesis at present, what was done, facts and insights.
 *
 * **Details**
 *
 * It has at most 15 actions, 20 facts and 10 insights. Its thought has the trace id `workspace:<taskId>`, and that task id.
 *
 * **Example** (Where it is stored)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Agent } from "cogito/agent"
 *
 * assert.equal(Agent.Workspace.traceId("move-17"), "workspace:move-17")
 * ```
 *
 * @category documents
 */
export const Workspace = document(
  "workspace",
  Schema.Struct({ objective: Text, hypothesis: Text, actions: Texts, facts: Named, insights: Texts }),
  { of: "task", limits: { actions: 15, facts: 20, insights: 10 } }
)
