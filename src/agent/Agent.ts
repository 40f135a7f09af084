/** Steps that call tools until they have an answer. */
export { AgentStopped } from "./AgentStopped.ts"
export { type Agent, type Called, make, type Options } from "./make.ts"
export { say } from "./say.ts"
export { type Limits } from "./settings.ts"
export { type Verdict } from "./verdict.ts"
