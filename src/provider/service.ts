/** The service that steps ask for. How one is built stands apart: a step does not need to know. */
import * as Context from "effect/Context"
import type { Shape } from "./Shape.ts"

/**
 * The provider in use.
 *
 * @category services
 */
export class Provider extends Context.Service<Provider, Shape>()("cogito/Provider") {}
