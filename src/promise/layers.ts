/** Layers in a list, each of which may need what those after it provide. */
import * as Layer from "effect/Layer"
import * as Memory from "../Memory.ts"

type AnyLayer = Layer.Layer<never, any, any>
/**
 * Layers in a list, each of which may need what those after it provide.
 *
 * @category models
 */
export type Layers = ReadonlyArray<AnyLayer>

/**
 * What the layers of a list provide.
 *
 * @category models
 */
export type Provided<L extends Layers> = {
  [I in keyof L]: L[I] extends Layer.Layer<infer A, any, any> ? A : never
}[number]

/**
 * What a layer of a list needs and no layer after it provides.
 *
 * @category models
 */
export type Lacking<L extends Layers> = L extends readonly [infer First, ...infer Rest extends Layers]
  ? (First extends Layer.Layer<never, any, infer R> ? Exclude<R, Provided<Rest>> : never) | Lacking<Rest>
  : never

/** All layers as one. If none of them provides a memory, notes are kept in the process and found by words. */
export const together = (layers: Layers): AnyLayer => {
  const memory: AnyLayer = Memory.layerInMemory({ embedder: "none" })
  return layers.reduceRight<AnyLayer>((below, layer) => Layer.provideMerge(layer, below), memory)
}
