/** Agents: steps that call tools until they have an answer. */
export * as Agent from "./Agent.ts"
