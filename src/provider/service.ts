/** What steps use to make calls. Constructors of providers are in another file, as steps do not need them. */
import * as Context from "effect/Context"
import type { Shape } from "./Shape.ts"

/**
 * The provider in use.
 *
 * @category services
 */
export class Provider extends Context.Service<Provider, Shape>()("cogito/Provider") {}

/**
 * The id of the thought that a call is made for, if there is one. It is no part of the request, so it is not in keys of caches
 * and recordings, and a hint only: what a connection already has is found by the contents of messages.
 */
export const Conversation = Context.Reference<string | undefined>("cogito/Conversation", {
  defaultValue: () => undefined
})
