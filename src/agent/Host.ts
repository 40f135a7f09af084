/** A host runs agents side by side, each with a configuration and services of its own. */
export { AgentDestroyed, InvalidConfig } from "./host/errors.ts"
export { type Place, type Presenter } from "./host/Presenter.ts"
export { type Handler, type On } from "./host/Subscriptions.ts"
export { define, type Definition, Host, layer, type Running } from "./hosting.ts"
