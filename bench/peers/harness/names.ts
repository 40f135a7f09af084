/** The scenarios in the order in which they run, each with the heading of its part of docs/benchmarks.md. */
export const titles = {
  overhead: "Overhead of a step",
  pipelines: "1,000 pipelines at once",
  growth: "Growth of a thought",
  storage: "Bytes stored",
  agents: "Agents",
  tokens: "Tokens",
  loading: "Import, bundle and types"
} as const

export type Name = keyof typeof titles

export const names = Object.keys(titles) as ReadonlyArray<Name>

export const isName = (text: string): text is Name => Object.hasOwn(titles, text)
