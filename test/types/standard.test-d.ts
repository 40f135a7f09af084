import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Note, Primitive, Step, Synapse } from "cogito"
import { Spec } from "cogito/spec"
import type { AnalyzeDetails, ConvertDetails } from "cogito/types"
import * as v from "valibot"
import { z } from "zod"
import { same } from "./same.ts"

const Ticket = z.object({ customer: z.string(), at: z.iso.datetime().transform((text) => new Date(text)) })
type Ticket = { customer: string; at: Date }
const Ark = type({ name: "string", "age?": "number" })
type Ark = { name: string; age?: number }
const Vali = toStandardJsonSchema(v.object({ name: v.string() }))

// ------------------------------------------------------------------------------------------------ steps and notes

const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer" })
same<Step.Out<typeof ticket>, { readonly ticket: Ticket }>(true)
const made = Primitive.make("made", { kind: "guess", schema: Ticket, question: "What is it?" })
same<Step.Out<typeof made>, { readonly made: Ticket }>(true)
const handle = Note.handle("ark", Ark)
same<typeof handle, Note.Handle<"ark", Ark>>(true)
const count = Step.make("count", { schema: z.number(), run: Note.from(ticket, ({ at }) => at.getTime()) })
same<Step.In<typeof count>, { readonly ticket: Ticket }>(true)
same<Step.Out<typeof count>, { readonly count: number }>(true)
const chosen = Step.make("chosen", { schema: z.enum(["on", "off"]), run: () => "on" })
same<Step.Out<typeof chosen>, { readonly chosen: "on" | "off" }>(true)

// ------------------------------------------------------------------------------------------------------- synapses

const extract = Synapse.extract(Vali, { prompt: "Extract the name" })
const plain: Synapse.Synapse<{ name: string }> = extract
const convert = Synapse.convert(Ark, Ticket, { prompt: "Convert" })
same<typeof convert, Synapse.Synapse<Ticket, Ark, ConvertDetails>>(true)
const analyze = Synapse.analyze(Ticket, { prompt: "Say what is unusual" })
same<typeof analyze, Synapse.Synapse<Synapse.Analysis, Ticket, AnalyzeDetails>>(true)
Spec.registry({ schemas: { Ticket, Ark, Vali } })
void plain

// ----------------------------------------------------------------------------------------------- what is refused

// @ts-expect-error 'name' does not exist in type 'AnySchema<unknown>'
Primitive.analyze("x", { schema: { name: "string" }, prompt: "Extract" })
// @ts-expect-error 'name' does not exist in type 'AnySchema<unknown>'
Primitive.make("x", { kind: "guess", schema: { name: "string" }, question: "What is it?" })
// @ts-expect-error 'name' does not exist in type 'AnySchema<Anything>'
Step.make("x", { schema: { name: "string" }, run: () => 1 })
// @ts-expect-error Argument of type 'string' is not assignable to parameter of type 'AnySchema<unknown>'
Note.handle("x", "string")
// @ts-expect-error Property 'jsonSchema' is missing in type 'StandardProps<string, string>'
Note.handle("x", v.string())
// @ts-expect-error 'prompt' does not exist in type 'AnySchema<unknown>'
Synapse.extract({ prompt: "Extract the name" }, Vali)
// @ts-expect-error Type 'string' is not assignable to type 'number
Step.make("x", { schema: z.number(), run: () => "1" })
// @ts-expect-error Type 'string' is not assignable to type 'AnySchema<any>'
Spec.registry({ schemas: { Ticket: "string" } })
