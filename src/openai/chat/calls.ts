/**
 * Collects the calls of tools in a chat completion, whole or in pieces.
 *
 * Servers differ: some send a call in pieces, others at once; some give neither place nor id, or every call the same
 * place or id; some omit empty arguments, or send an object instead of JSON text.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { maybe } from "../../http/decoding.ts"
import type { StreamPart, ToolCall } from "../../Provider.ts"
import { paramsOf } from "../../provider/tools.ts"

const Pieces = Schema.Array(
  Schema.Struct({
    index: maybe(Schema.Finite),
    id: maybe(Schema.String),
    type: maybe(Schema.String),
    function: maybe(Schema.Struct({ name: maybe(Schema.String), arguments: maybe(Schema.Unknown) }))
  })
)
type Piece = (typeof Pieces.Type)[number]

const decodePieces = Schema.decodeUnknownOption(Pieces)

interface Open {
  readonly index: number | undefined
  readonly number: number
  /** The id that the server gave. */
  given: string | undefined
  id: string | undefined
  name: string | undefined
  params: string
  /** How much of `params` has been passed on. */
  passed: number
}

export class Calls {
  readonly #all: Array<Open> = []
  #answer: string | undefined

  /** `answer` is the id of the answer, for the ids of calls that have none. */
  constructor(answer?: string | null) {
    this.#answer = answer ?? undefined
  }

  /** Adds the calls of a message or of a piece of it. Returns undefined if the value is not a list of calls. */
  add(value: unknown, { answer, whole = false }: { readonly answer?: string; readonly whole?: boolean } = {}) {
    this.#answer ??= answer
    const pieces = Option.getOrUndefined(decodePieces(value ?? []))
    return pieces
      ?.filter(({ type }) => type === undefined || type === null || type === "" || type === "function")
      .flatMap((piece): ReadonlyArray<StreamPart> => {
        const call = (whole ? undefined : this.#find(piece)) ?? this.#begin(piece)
        this.#name(call, piece.id || undefined)
        call.name ??= piece.function?.name || undefined
        call.params += paramsOf(piece.function?.arguments)
        return this.#next(call)
      })
  }

  /** The complete calls, and what of them has not been passed on. `undefined` if one has no name. */
  end(): { readonly calls: ReadonlyArray<ToolCall>; readonly rest: ReadonlyArray<StreamPart> } | undefined {
    const calls: Array<ToolCall> = []
    const rest: Array<StreamPart> = []
    for (const call of this.#all) {
      if (call.name === undefined) return undefined
      if (call.params.trim() === "") call.params = `${call.params}{}`
      rest.push(...this.#next(call).filter((part) => part._tag === "Call" && part.delta !== ""))
      calls.push({ id: this.#idOf(call), name: call.name, params: call.params })
    }
    return { calls, rest }
  }

  #begin({ index }: Piece): Open {
    const number = this.#all.length
    const call: Open = {
      index: index ?? undefined,
      number,
      given: undefined,
      id: undefined,
      name: undefined,
      params: "",
      passed: -1
    }
    this.#all.push(call)
    return call
  }

  /** The call that a piece continues. */
  #find({ function: called, id, index }: Piece): Open | undefined {
    const isNamed = called?.name !== undefined && called.name !== null && called.name !== ""
    const found = this.#all.findLast((call) =>
      index === undefined || index === null ? !id || call.given === id : call.index === index
    )
    // with another id, or a second name without any place, it is another call
    const isOther =
      isNamed &&
      found?.name !== undefined &&
      (id ? found.given !== undefined && found.given !== id : index === undefined || index === null)
    return isOther ? undefined : found
  }

  /** Nothing is passed on before the name is known. */
  #next(call: Open): ReadonlyArray<StreamPart> {
    const { name, params, passed } = call
    if (name === undefined || passed === params.length) return []
    call.passed = params.length
    return [{ _tag: "Call", id: this.#idOf(call), name, delta: params.slice(Math.max(0, passed)) }]
  }

  /** Some servers give two calls of one tool the same id. */
  #name(call: Open, given: string | undefined): void {
    if (given === undefined || call.given !== undefined) return
    call.given = given
    call.id ??= this.#all.some((other) => other !== call && other.id === given) ? `${given}_${call.number}` : given
  }

  #idOf(call: Open): string {
    return (call.id ??= `call_${call.number}${(this.#answer ?? "").replace(/[^a-zA-Z0-9]/g, "").slice(-20)}`)
  }
}
