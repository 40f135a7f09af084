/** Names and descriptions of an agent's tools. */
import * as Tool from "effect/ai/Tool"
import type { Form } from "../../synapse/form.ts"
import type * as Provider from "../../Provider.ts"
import { quoted } from "../../text/legible.ts"

/** The tool with which a model gives an answer that has a schema. */
export const answerTool = "answer"

const names = /^[A-Za-z0-9_-]{1,64}$/

/** Throws if a tool cannot be called by every provider. */
export const checkTools = (agent: string, tools: Tools, hasOutput: boolean): void => {
  for (const name of Object.keys(tools)) {
    if (!names.test(name)) {
      throw new Error(
        `The tool ${quoted(name)} of the agent ${quoted(agent)} needs a name of 1 to 64 letters, digits, "_" and "-".`
      )
    }
    if (name === "approval" || name === "triage" || name === "unknown") {
      throw new Error(`The agent ${quoted(agent)} has notes of its own under ${quoted(name)}: rename that tool.`)
    }
    if (hasOutput && name === answerTool) {
      throw new Error(
        `The agent ${quoted(agent)} answers with a tool named "answer", because it has \`output\`: rename that tool.`
      )
    }
  }
}

/** Tools by their names. */
export type Tools = Readonly<Record<string, Tool.Any>>

export const descriptionOf = (tool: Tool.Any): string => Tool.getDescription(tool) ?? ""

/** Made once for each tool: a JSON Schema takes as long as the rest of a request. */
const made = new WeakMap<Tool.Any, Provider.Tool>()

export const toolOf = (name: string, tool: Tool.Any): Provider.Tool => {
  const known = made.get(tool)
  if (known?.name === name) return known
  const one = { name, description: descriptionOf(tool), parameters: objectSchema({ ...Tool.getJsonSchema(tool) }) }
  made.set(tool, one)
  return one
}

/** The schema of an empty struct allows anything but null, which no vendor takes. */
const objectSchema = (schema: Provider.Tool["parameters"]): Provider.Tool["parameters"] =>
  "not" in schema && !("type" in schema) ? { type: "object", properties: {}, additionalProperties: false } : schema

/** The tool that takes an answer of this form. */
export const answering = ({ output }: Form<unknown>): Provider.Tool => ({
  name: answerTool,
  description: "Gives the final answer. Call it alone, once all results that it needs are there.",
  parameters: output.jsonSchema
})
