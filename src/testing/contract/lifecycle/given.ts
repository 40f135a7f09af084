/** What the tests of the lifecycle share. */
import type { Space } from "../../../Memory.ts"

export const space: Space = { embedder: "lifecycle embedder", dimensions: 2, metric: "cosine" }
