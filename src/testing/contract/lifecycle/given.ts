/** The shared setup of the tests of the lifecycle. */
import type { Space } from "../../../Memory.ts"

export const space: Space = { embedder: "lifecycle embedder", dimensions: 2, metric: "cosine" }
