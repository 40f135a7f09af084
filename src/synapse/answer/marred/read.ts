/** Reads an answer: as it is if it is valid, otherwise as far as the schema leaves no doubt about what is meant. */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type { Issue } from "../ResponseError.ts"
import type { Align } from "./align/Outcome.ts"
import { aligner } from "./align/align.ts"
import { type Candidate, findIn, type Found } from "./candidates.ts"
import { type Choice, choose, type Fit } from "./choose.ts"
import type { Coercion, Parsing } from "./align/Coercion.ts"
import { bounded, deepest, isTooDeep, jsonOf, tooDeep } from "./scan/json.ts"
import { coercionsOf, problemsOf } from "./align/Outcome.ts"
import { inJson } from "./scan/notations.ts"
import { isOverclosed } from "./remains.ts"
import { completed, regionOf, repaired } from "./repair.ts"
import { alignRoot, type Root, valuesIn } from "./align/Root.ts"
import { withoutEntities, withoutEscapes } from "./rewrites.ts"
import type { Tree } from "./scan/Tree.ts"
import { readWhole } from "./scan/whole.ts"
import { joined, unbracketed } from "./wholes.ts"
import { hasExactNumbers, isExact } from "./scan/exact.ts"

interface Reading<out A> {
  readonly value: A
  readonly coercions: ReadonlyArray<Coercion>
}

type Decode<A> = (json: unknown) => Result.Result<A, ReadonlyArray<Issue>>

type Read<A> = Result.Result<Reading<A>, ReadonlyArray<Issue>>

/** Reads answers of one form. */
export const reader = <A>(root: Root, decodeAny: Decode<A>) => {
  const decodeBounded = bounded(decodeAny)
  return (text: string, parsing: Parsing): Read<A> => {
    const decode = text.length > shallow ? decodeBounded : decodeAny
    const json = jsonOf(parsing === "strict" ? text : text.trim())
    const asIs = json === undefined ? undefined : firstOf(valuesIn(root, json.value).map(decode))
    if (asIs !== undefined && Result.isSuccess(asIs) && hasExactNumbers(text)) {
      return Result.succeed({ value: asIs.success, coercions: [] })
    }
    if (json !== undefined && text.length > shallow && isTooDeep(json.value)) {
      return Result.fail([{ path: [], message: tooDeep }])
    }
    if (parsing !== "strict") return tolerantly(root, decode, text, json !== undefined, parsing === "lossy")
    if (json === undefined) return Result.fail([{ path: [], message: "Expected JSON and nothing else" }])
    if (asIs !== undefined && Result.isFailure(asIs)) return Result.fail(asIs.failure)
    const read = tolerantly(root, decode, text, true, false)
    const isUnchanged = Result.isFailure(read) || read.success.coercions.length === 0
    return isUnchanged ? read : Result.fail(read.success.coercions.map(({ path }) => ({ path, message: inexact })))
  }
}

/** A text this short cannot exceed the limit of depth, as each level takes two brackets. */
const shallow = 2 * deepest

const inexact = "Expected a number that can be kept exactly"

/** The first success, or the first result if none succeeds. */
const firstOf = <A, E>(results: ReadonlyArray<Result.Result<A, E>>): Result.Result<A, E> | undefined =>
  results.find(Result.isSuccess) ?? results[0]

/** Whether every number in the tree keeps its value. */
const isExactIn = (tree: Tree): boolean => {
  switch (tree._tag) {
    case "Numeral":
      return isExact(tree.text, tree.value)
    case "List":
      return tree.items.every(isExactIn)
    case "Fields":
      return tree.entries.every(([, value]) => isExactIn(value))
    default:
      return true
  }
}

/** How many candidates that do not fit are decoded to learn their issues. */
const asked = 16

const tolerantly = <A>(root: Root, decode: Decode<A>, text: string, isJson: boolean, lossy: boolean): Read<A> => {
  const rewritten = isJson ? { text, done: [] } : rewrite(text, lossy)
  const found = isJson ? wholeOf(text) : findIn(rewritten.text)
  const align = aligner(lossy)
  let misfits = 0
  const isEmpty = found.candidates.length === 0 && found.failure === undefined
  const candidates = isEmpty ? unbracketed(root, rewritten.text, found, lossy) : joined(root, found.candidates)
  const fits = candidates.map((candidate): Fit<A> => {
    // If the text is JSON, the value was already decoded as it is.
    const asIs = candidate.exact && !isJson ? readAsIs(root, decode, candidate.tree, align) : undefined
    if (asIs !== undefined) return { candidate, ...asIs }
    const outcome = alignRoot(root, candidate.tree, align)
    const problems = problemsOf(outcome)
    if (!outcome.fits && ++misfits > asked) return { candidate, outcome, decoded: Result.fail(problems) }
    const decoded = decode(outcome.value)
    if (problems.length === 0) return { candidate, outcome, decoded }
    const others = Result.isFailure(decoded) ? decoded.failure : []
    const known = new Set(problems.map(({ path }) => path.join("\n")))
    const more = others.filter(({ path }) => !known.has(path.join("\n")))
    return { candidate, outcome, decoded: Result.fail([...problems, ...more]) }
  })
  const chosen = wholly(choose(root, fits, found.failure, rewritten.text), rewritten.text)
  const isWritten = Result.isSuccess(chosen) && isAlone(rewritten.text, chosen.success.candidate)
  const region = isJson || isWritten || candidates.length > 1 ? undefined : regionOf(rewritten.text, found)
  const mended = region === undefined ? undefined : repaired(root, decode, region, lossy)
  const isSame = (value: A) => Result.isSuccess(chosen) && Equal.equals(chosen.success.value, value)
  const isUnsure = mended?._tag === "Doubtful" && Result.isSuccess(chosen) && !mended.values.every(isSame)
  if (mended?._tag === "Several" || isUnsure) return Result.fail([{ path: [], message: several }])
  const isCut =
    Result.isFailure(chosen) && found.failure?._tag === "Cut" && mended?._tag !== "One" && candidates.length === 0
  const ended = isCut ? completed(root, decode, rewritten.text, found, lossy) : mended
  if (ended?._tag === "One" && !isSame(ended.value)) {
    const { coercions, value } = ended
    return Result.succeed({ value, coercions: [...rewritten.done, ...coercions] })
  }
  if (Result.isSuccess(chosen)) {
    const { candidate, outcome, value } = chosen.success
    const around = [...found.kinds, ...(candidate.where === "whole" ? [] : [candidate.where])]
    return Result.succeed({
      value,
      coercions: [...rewritten.done, ...around.map((kind) => ofWhole(kind)), ...coercionsOf(outcome)]
    })
  }
  return Result.fail(chosen.failure)
}

/** Rejects a changed value if brackets follow that may belong to it. */
const wholly = <A>(chosen: Choice<A>, text: string): Choice<A> => {
  if (Result.isFailure(chosen)) return chosen
  const { candidate, outcome } = chosen.success
  const isChanged = candidate.where === "prose" && outcome.cost > 0
  return isChanged && isOverclosed(text, candidate.start, candidate.end)
    ? Result.fail([{ path: [], message: several }])
    : chosen
}

/** Decodes valid JSON without changes. */
const readAsIs = <A>(
  root: Root,
  decode: Decode<A>,
  tree: Tree,
  align: Align
): Omit<Fit<A>, "candidate"> | undefined => {
  if (!isExactIn(tree)) return undefined
  const outcome = align(tree, { _tag: "Any" })
  const decoded = firstOf(valuesIn(root, outcome.value).map(decode))
  return decoded !== undefined && Result.isSuccess(decoded) ? { outcome, decoded } : undefined
}

const wholeOf = (text: string): Found => {
  const tree = readWhole(text)
  const whole = { exact: true, where: "whole", start: 0, end: text.length, follows: false } as const
  return {
    candidates: tree === undefined ? [] : [{ ...whole, tree }],
    failure: undefined,
    kinds: new Set(),
    from: 0,
    blocks: []
  }
}

/** Whether a value is valid JSON, and nothing after it may belong to it. */
const isAlone = (text: string, { end, exact }: Candidate): boolean => exact && !/[\]}]/.test(text.slice(end))

const several = "This can be read in more than one way"

const ofWhole = (kind: string, lossy = false): Coercion => ({ path: [], kind, lossy })

const rewrite = (
  written: string,
  lossy: boolean
): { readonly text: string; readonly done: ReadonlyArray<Coercion> } => {
  const plain = inJson(written)
  const { done, text } = unwrapped(plain?.text ?? written, lossy)
  return { text, done: plain === undefined ? done : [ofWhole(plain.kind), ...done] }
}

const unwrapped = (text: string, lossy: boolean): { readonly text: string; readonly done: ReadonlyArray<Coercion> } => {
  const unescaped = withoutEscapes(text)
  if (unescaped !== undefined) return { text: unescaped, done: [ofWhole("escaped")] }
  const decoded = lossy ? withoutEntities(text) : undefined
  return decoded === undefined ? { text, done: [] } : { text: decoded, done: [ofWhole("entities", true)] }
}
