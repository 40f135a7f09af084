/** The vectors that a memory uses, and the change from one embedder to another. */
import * as Effect from "effect/Effect"
import type { Shape as EmbedderShape } from "../../thought/Embedder.ts"
import type { EmbedderChange } from "../model/EmbedderChange.ts"
import type { Shape } from "../model/Shape.ts"
import type { Space, Store } from "../model/Store.ts"
import { quoted } from "../../text/legible.ts"
import { makeEmbedding, type Embedding } from "./embed.ts"
import { fail, type MemoryError } from "../model/error.ts"
import { checkEmbedder } from "./shape.ts"

const spaceOf = ({ dimensions, id, metric }: EmbedderShape): Space => ({ embedder: id, dimensions, metric })

/** Whether two spaces are the same. Their states do not count. */
export const isSame = (a: Space, b: Space): boolean =>
  a.embedder === b.embedder && a.dimensions === b.dimensions && a.metric === b.metric

const nameOf = ({ dimensions, embedder, metric }: Space): string => `${embedder} (${dimensions} dimensions, ${metric})`

export interface Spaces extends Pick<Shape, "spaces" | "dropSpace"> {
  readonly current: Embedding
  /** That of the embedder before, as long as the current one is being built. */
  readonly previous: () => Embedding | undefined
  /** To be run when every note has been tried: the current space takes the place of the one before. */
  readonly built: Effect.Effect<void, MemoryError>
  /** Fails when another program has changed the memory to another embedder. */
  readonly check: Effect.Effect<void, MemoryError>
  /** Whether the last check has failed so. */
  readonly replaced: () => boolean
}

export const openSpaces = Effect.fnUntraced(function* (
  store: Store,
  embedder: EmbedderShape,
  { onEmbedderChange = "fail", previousEmbedder }: EmbedderChange
): Effect.fn.Return<Spaces, MemoryError> {
  yield* checkEmbedder(embedder)
  if (previousEmbedder !== undefined) yield* checkEmbedder(previousEmbedder)
  const space = spaceOf(embedder)
  const activeOther = Effect.map(store.spaces, (known) =>
    known.find((one) => one.state === "active" && !isSame(one, space))
  )
  const check = Effect.flatMap(activeOther, (active) =>
    active === undefined || onEmbedderChange === "rebuild"
      ? Effect.void
      : fail({
          _tag: "EmbedderMismatch",
          stored: nameOf(active),
          configured: nameOf(space),
          message:
            `The memory's vectors were made by the embedder ${nameOf(active)}, not by ${nameOf(space)}. ` +
            `Use the first one, or embed all notes again with onEmbedderChange: "rebuild".`
        })
  )
  // before, so that a wrong embedder leaves nothing behind; and after, as another process may have been first
  yield* check
  yield* store.openSpace(space)
  yield* check

  const former = yield* activeOther
  let building = former !== undefined
  let old: Embedding | undefined
  if (former !== undefined && previousEmbedder !== undefined && isSame(spaceOf(previousEmbedder), former)) {
    yield* store.openSpace(former)
    old = makeEmbedding(store, former, previousEmbedder)
  }

  let isReplaced = false
  const stillInUse = Effect.flatMap(store.spaces, (known) => {
    const own = known.find((one) => isSame(one, space))?.state
    const active = known.find((one) => one.state === "active")
    isReplaced = active !== undefined && (own === undefined || own === "retired")
    if (own === "active") building = false
    if (active === undefined || !isReplaced) return Effect.void
    return fail({
      _tag: "EmbedderMismatch",
      stored: nameOf(active),
      configured: nameOf(space),
      message:
        `Another program has changed the memory to the embedder ${nameOf(active)}; this one still uses ${nameOf(space)}: ` +
        "start it again with that embedder."
    })
  })

  return {
    check: stillInUse,
    replaced: () => isReplaced,
    current: makeEmbedding(store, space, embedder),
    previous: () => (building ? old : undefined),
    built: Effect.suspend(() =>
      building
        ? Effect.map(store.activateSpace(space), () => {
            building = false
          })
        : Effect.void
    ),
    spaces: store.spaces,
    dropSpace: (unused, options) =>
      isSame(unused, space)
        ? fail({
            _tag: "Query",
            message: `The vectors of the embedder ${quoted(space.embedder)} are in use: they cannot be dropped.`
          })
        : store.dropSpace(unused, options)
  }
})
