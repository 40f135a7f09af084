import { foundSource } from "../../thought/found.ts"

/**
 * Sources of notes that are the results of searches. By default they are not found again, and they are not embedded until a
 * search asks for them.
 */
export const resultSources: ReadonlyArray<string> = Object.values(foundSource)
