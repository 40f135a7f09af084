/** The service that steps require. Its constructors are in another file, as steps do not need them. */
import * as Context from "effect/Context"
import type { Shape } from "./Shape.ts"

/**
 * The provider in use.
 *
 * @category services
 */
export class Provider extends Context.Service<Provider, Shape>()("cogito/Provider") {}
