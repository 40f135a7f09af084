/** Options that are objects of options themselves, and the names that these have: the same in every function that takes them. */
export const nested = {
  checkSampling: ["effort", "maxTokens", "seed", "stop", "temperature"],
  context: ["neighbours", "task"],
  fusion: ["evidence", "k", "lexicalWeight", "vectorWeight"],
  introspect: ["onFailure", "prompt", "sampling", "summaryKey"],
  recency: ["halfLife", "weight"],
  rerank: ["candidates", "deadline", "score"],
  sampling: ["effort", "maxTokens", "seed", "stop", "temperature"],
  summarize: ["prompt", "provider", "sampling", "summaryKey"],
  threshold: ["tokens", "turns"],
  view: ["recent", "summaryAndRecent"]
} as const

export type Nested = typeof nested
