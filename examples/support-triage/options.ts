/**
 * What the command line asks for.
 */
import { Data, Effect } from "effect"
import { parseArgs } from "node:util"

const formats = ["text", "jsonl", "csv"] as const
export type Format = (typeof formats)[number]

/** What there is by default, and where its key and server are. */
const remote = {
  openai: { tag: "OpenAi", model: "gpt-5-mini", key: "OPENAI_API_KEY", server: "OPENAI_BASE_URL" },
  anthropic: { tag: "Anthropic", model: "claude-sonnet-5-5", key: "ANTHROPIC_API_KEY", server: "ANTHROPIC_BASE_URL" }
} as const

const defaultData = ".cogito/triage"

/** Below these confidences an answer is shown as low. */
export const low = { label: 0.5, yesNo: 0.6 }

export const help = `Triages support tickets: who writes, about what, which kind of issue it is, in
which mood, which similar tickets there were, and whether a senior agent should
take over.

Usage: npm run triage -- [options]

Without options it reads tickets of its own, with a model that runs offline in
this process and needs no key.

  --provider NAME   extractive (default): offline; it extracts and computes, and
                    is not an LLM
                    openai: OpenAI's models, and those of every server with the
                    same API; the key comes from OPENAI_API_KEY
                    anthropic: Claude models, and those of every server with the
                    same API; the key comes from ANTHROPIC_API_KEY
  --model NAME      model of the provider, default ${remote.openai.model} or
                    ${remote.anthropic.model}
  --base-url URL    server of the provider, such as http://127.0.0.1:11434/v1
                    for openai, without /v1 for anthropic; needs --model, the
                    key is optional then. OPENAI_BASE_URL and ANTHROPIC_BASE_URL
                    do the same
  --record FILE     write every call of the model to a file, without keys
  --replay FILE     answer from such a file, without a server or a key: the
                    same tickets, and a folder of --data like the one then
  --data FOLDER     where notes are kept, default ${defaultData}; a later run
                    finds the tickets of an earlier one there. After Ctrl-C, or
                    a failure, the same command goes on where it stopped
  --file PATH       read tickets from a file, - for standard input
  --format FORMAT   text: one ticket a line
                    jsonl: a JSON string, or an object with "text", a line
                    csv: with a column "text"
                    Default: by the file's ending, else by its first line
  --limit N         read at most N tickets
  --json            print one JSON object a ticket and nothing else
  --trace ID        print all notes of a stored ticket, by its trace id
                    (ticket-1-…) or thought id
  --help            print this

Confidences are from 0 to 1; the offline model measures them, a language model
states them. "low" marks a category or mood with less than ${low.label}, where the other
answers together are likelier, and a yes or no with less than ${low.yesNo}, where both
are about as likely. "perhaps" names the second likeliest category.

It ends with 0 when every ticket was answered, 1 when something failed, 2 when
the options are wrong, 130 on Ctrl-C.`

/** Which model answers. */
export type Model =
  | { readonly _tag: "Extractive" }
  | {
      readonly _tag: "OpenAi" | "Anthropic"
      readonly model: string
      readonly baseUrl: string
      readonly apiKey: string
      /** Where the key may stand in the environment. */
      readonly keyName: string
    }
  | { readonly _tag: "Replay"; readonly path: string }

export interface Job {
  readonly _tag: "Job"
  readonly model: Model
  /** The file that calls are written to. */
  readonly record: string | undefined
  readonly data: string
  /** Undefined for the example's own tickets. */
  readonly file: { readonly path: string; readonly format: Format | undefined } | undefined
  readonly limit: number
  readonly json: boolean
}

export interface Trace {
  readonly _tag: "Trace"
  readonly id: string
  readonly data: string
  readonly json: boolean
}

export type Command = { readonly _tag: "Help" } | Job | Trace

export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

const flags = {
  provider: { type: "string" },
  model: { type: "string" },
  "base-url": { type: "string" },
  record: { type: "string" },
  replay: { type: "string" },
  data: { type: "string" },
  file: { type: "string" },
  format: { type: "string" },
  limit: { type: "string" },
  json: { type: "boolean" },
  trace: { type: "string" },
  help: { type: "boolean", short: "h" }
} as const

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the command line; keys and servers of models may stand in the environment. */
export const parse = (args: ReadonlyArray<string>, environment: Environment): Effect.Effect<Command, UsageError> =>
  Effect.try({
    try: () => commandOf(valuesOf(args), environment),
    catch: (error) =>
      error instanceof UsageError ? error : wrong(error instanceof Error ? error.message : String(error))
  })

const wrong = (message: string): UsageError => new UsageError({ message })

const valuesOf = (args: ReadonlyArray<string>) => {
  const { tokens, values } = parseArgs({
    args: [...args],
    options: flags,
    allowPositionals: true,
    strict: false,
    tokens: true
  })
  const seen = new Set<string>()
  for (const token of tokens) {
    if (token.kind === "positional") throw wrong(`"${token.value}" is not expected here`)
    if (token.kind !== "option") continue
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name as keyof typeof flags] : undefined
    if (flag === undefined) throw wrong(`there is no option ${token.rawName}`)
    if (seen.has(token.name)) throw wrong(`${token.rawName} is given twice`)
    seen.add(token.name)
    if (flag.type === "boolean" && token.value !== undefined) throw wrong(`${token.rawName} takes no value`)
    // "--file --json" means that the value was forgotten; "--file=--json" is how to say it is one
    const forgotten = token.value === undefined || (!token.inlineValue && /^-./.test(token.value))
    if (flag.type === "string" && (forgotten || token.value === "")) throw wrong(`${token.rawName} needs a value`)
  }
  // checked above: every flag has a value of its own type
  return values as {
    readonly [K in keyof typeof flags]?: (typeof flags)[K]["type"] extends "string" ? string : boolean
  }
}

const commandOf = (values: Values, environment: Environment): Command => {
  const { data = defaultData, file, json = false, trace } = values
  if (values.help === true) return { _tag: "Help" }
  if (trace !== undefined) {
    refuse(
      values,
      ["provider", "model", "base-url", "record", "replay", "file", "format", "limit"],
      "--trace prints what is stored"
    )
    return { _tag: "Trace", id: trace, data, json }
  }
  if (values.format !== undefined && file === undefined) throw wrong("--format belongs to --file")
  const format = values.format === undefined ? undefined : oneOf("--format", values.format, formats)
  return {
    _tag: "Job",
    model: modelOf(values, environment),
    record: values.record,
    data,
    file: file === undefined ? undefined : { path: file, format },
    limit: values.limit === undefined ? Number.POSITIVE_INFINITY : count("--limit", values.limit),
    json
  }
}

type Values = ReturnType<typeof valuesOf>

const refuse = (values: Values, names: ReadonlyArray<keyof Values>, why: string): void => {
  const other = names.find((name) => name in values)
  if (other !== undefined) throw wrong(`${why} and takes no --${other}`)
}

const modelOf = (values: Values, environment: Environment): Model => {
  if (values.replay !== undefined) {
    refuse(values, ["provider", "model", "base-url", "record"], "--replay answers from a file")
    return { _tag: "Replay", path: values.replay }
  }
  const provider = oneOf("--provider", values.provider ?? "extractive", ["extractive", "openai", "anthropic"])
  const given = values["base-url"]
  if (provider === "extractive") {
    if (values.model !== undefined) throw wrong("--model goes with --provider openai or anthropic")
    if (given !== undefined) throw wrong("--base-url goes with --provider openai or anthropic")
    return { _tag: "Extractive" }
  }
  if (given !== undefined && !(URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) {
    throw wrong("--base-url needs an address such as http://127.0.0.1:11434/v1")
  }
  if (given !== undefined && values.model === undefined)
    throw wrong("--base-url needs --model: one that its server has")
  const { key, model, server, tag } = remote[provider]
  return {
    _tag: tag,
    model: values.model ?? model,
    baseUrl: given ?? environment[server] ?? "",
    apiKey: environment[key] ?? "",
    keyName: key
  }
}

const oneOf = <const A extends string>(flag: string, value: string, allowed: ReadonlyArray<A>): A => {
  const found = allowed.find((item) => item === value)
  if (found === undefined) throw wrong(`${flag} is one of ${allowed.join(", ")}`)
  return found
}

const count = (flag: string, value: string): number => {
  const number = /^\d+$/.test(value) ? Number(value) : 0
  if (!Number.isSafeInteger(number) || number === 0) throw wrong(`${flag} needs a whole number from 1`)
  return number
}
