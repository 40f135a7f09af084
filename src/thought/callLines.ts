/** How a conversation shows the calls of tools in a reply. */

interface Call {
  readonly name: string
  readonly params: string
}

/** The text of an answer that calls tools, for readers that know nothing of tools. */
export const withCalls = (text: string, calls: ReadonlyArray<Call>): string => {
  const lines = linesOf(calls)
  return text === "" ? lines : `${text}\n\n${lines}`
}

/** One line for each call. */
export const linesOf = (calls: ReadonlyArray<Call>): string =>
  calls.map(({ name, params }) => `[calls ${name} with ${params}]`).join("\n")
