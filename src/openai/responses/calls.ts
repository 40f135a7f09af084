/** The calls of tools in a Responses stream, by their places in the output. */
import type { StreamPart, ToolCall } from "../../Provider.ts"
import { paramsOf } from "../../provider/tools.ts"
import { callIn, type Item } from "./output.ts"

interface Open {
  readonly id: string
  readonly name: string
  params: string
}

export class Calls {
  readonly #open = new Map<number, Open>()

  /** The parameters that have arrived, by the ids of their calls. */
  get params(): ReadonlyMap<string, string> {
    return new Map([...this.#open.values()].map(({ id, params }) => [id, params]))
  }

  /** A call begins, or is complete. `undefined` if it is not the one of this place, or has no id or name. */
  item(place: number, item: Item, isDone: boolean): ReadonlyArray<StreamPart> | undefined {
    const found = callIn(item)
    const known = this.#open.get(place)
    if (found === undefined || (known !== undefined && known.id !== found.id)) return undefined
    const open = known ?? { id: found.id, name: found.name, params: "" }
    this.#open.set(place, open)
    if (isDone && item.arguments) return this.whole(place, found.params)
    return known === undefined ? [partOf(open, "")] : []
  }

  /** The next piece of the parameters. */
  grow(place: number, delta: unknown): ReadonlyArray<StreamPart> | undefined {
    const open = this.#open.get(place)
    if (open === undefined || typeof delta !== "string") return undefined
    open.params += delta
    return delta === "" ? [] : [partOf(open, delta)]
  }

  /** All parameters. Some servers send no pieces of them before. */
  whole(place: number, params: unknown): ReadonlyArray<StreamPart> | undefined {
    const open = this.#open.get(place)
    if (open === undefined || params === null || params === undefined) return undefined
    const text = paramsOf(params)
    if (open.params === "") return this.grow(place, text)
    return open.params === text ? [] : undefined
  }

  /** What of the complete calls has not been passed on. */
  rest(calls: ReadonlyArray<ToolCall>): ReadonlyArray<StreamPart> {
    const { params } = this
    return calls.flatMap(({ params: all, ...call }) => (params.get(call.id) ? [] : [partOf(call, all)]))
  }
}

const partOf = ({ id, name }: Pick<Open, "id" | "name">, delta: string): StreamPart => ({
  _tag: "Call",
  id,
  name,
  delta
})
