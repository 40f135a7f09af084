/** Options that every memory in a database takes. */
import { Effect } from "effect"

const previousEmbedder = {
  id: "before",
  dimensions: 1,
  maxTokens: 100,
  metric: "cosine",
  embedMany: () => Effect.succeed([])
} as const

export const shared = { scope: "acme", embedder: "none", onEmbedderChange: "rebuild", previousEmbedder } as const
