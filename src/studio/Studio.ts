/**
 * The studio: pages that show the thoughts and runs of a memory in a browser on the same machine, and take the answers that runs
 * wait for.
 */
export { layer, type StudioOptions } from "./layer.ts"
export { StudioError } from "./StudioError.ts"
