/** How a model learns of tools and of the sections of its answer. */
import type { Request } from "../request.ts"
import { parametersOf } from "../turns.ts"
import type { Markers } from "./markers.ts"

/** The rules and the tools, for the system message. It is the same in all requests of a conversation. */
export const rulesOf = ({ parallelCalls, tools = [] }: Request, markers: Markers): string => {
  const { calls, respond, think, yield: wait } = markers
  const number = parallelCalls === false ? "exactly one call" : "one or more calls"
  const listed = tools.map((tool) =>
    JSON.stringify({ name: tool.name, description: tool.description, parameters: parametersOf(tool) })
  )
  return [
    `You can call tools. Write your answer in sections; the marker of each stands at the start of a line. To call tools:

${think}
your reasoning, if you need any
${calls}
[{"name":"the name of a tool","args":{"its parameter":"a value"}}]
${wait}

When you need no tool, or no further one:

${respond}
your answer

- After ${calls} stands one JSON array with ${number}, then ${wait}. Stop there: the results come in the next message, as JSON in the order of the calls. Never write results yourself.
- "args" is an object by the JSON Schema of the tool's parameters. Never leave it out: a call without parameters has {}.`,
    ...(listed.length === 0 ? [] : [`The tools, one in a line:\n${listed.join("\n")}`])
  ].join("\n\n")
}

/** What holds for this answer only, for the end of the request. Undefined if nothing does. */
export const endingOf = (
  { task: { output }, toolChoice = "auto", tools = [] }: Request,
  { calls, respond }: Markers
): string | undefined => {
  const mayCall = toolChoice !== "none" && tools.length > 0
  const sentences = [
    ...(mayCall ? [] : [`Call no tool now: write ${respond} and your answer.`]),
    ...(toolChoice === "required" ? [`Call a tool now: write ${calls}.`] : []),
    ...(typeof toolChoice === "object" ? [`Call the tool ${toolChoice.tool} now, and no other: write ${calls}.`] : []),
    ...(output === undefined ? [] : [`What stands after ${respond} has this form.\n\n${output.instructions}`])
  ]
  return sentences.length === 0 ? undefined : sentences.join("\n\n")
}
