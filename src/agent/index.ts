/** Agents: steps that call tools until they have an answer. */
export * as Agent from "./Agent.ts"
/** A host: agents side by side, each with a configuration and services of its own. */
export * as Host from "./Host.ts"
