/** The services that a promise runs with, and what the compiler says if some are missing. */
import type * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"

/** A layer or a runtime that provides `Need`. */
export type Provided<Need> =
  | { readonly layer: Layer.Layer<Need, any>; readonly runtime?: never }
  | { readonly runtime: ManagedRuntime.ManagedRuntime<Need, any>; readonly layer?: never }

/**
 * The layer or the runtime that a function takes, which provides `Need`.
 *
 * The second half of each union is never met: it is there for the message, which names the services that
 * the given layer of `Has` lacks, or those of `In` that it needs itself. A conditional type in its place would refuse generic code.
 *
 * @category types
 */
export type Services<Need, Has, In> =
  | {
      readonly layer: Whole<NoInfer<Need>> | (Layer.Layer<Has, any, In> & Short<Need, Has, In>)
      readonly runtime?: never
    }
  | {
      readonly runtime:
        | WholeRuntime<NoInfer<Need>>
        | (ManagedRuntime.ManagedRuntime<Has, any> & { readonly "the runtime lacks": Exclude<Need, Has> })
      readonly layer?: never
    }

type Short<Need, Has, In> = [In] extends [never]
  ? { readonly "the layer lacks": Exclude<Need, Has> }
  : { readonly "the layer needs what it does not provide itself": In }

// Under names of their own: the compiler explains the first half if it is the type of the argument by name.
interface Whole<in A> extends Layer.Layer<A, any> {}
interface WholeRuntime<in A> extends ManagedRuntime.ManagedRuntime<A, any> {}
