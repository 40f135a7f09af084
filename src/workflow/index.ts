/** Durable runs as workflows of `effect/workflow`: a cluster decides which process executes a run, and when it goes on. */
export * as CogitoWorkflow from "./CogitoWorkflow.ts"
