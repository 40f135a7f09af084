/** Finds the parameter of a request that a server refuses, from the wording of its message. */
import { type Endpoint, identifier } from "./Endpoint.ts"

/** OpenAI's wording for models without log-probabilities. */
export const refusesLogprobs = /\brequest logprobs\b/

/** A model, or its prompt template, accepts no system messages. */
const refusesSystem =
  /\b(?:system|developer) (?:role|messages?|prompts?|instructions?) (?:is |are )?(?:not (?:supported|allowed|enabled|permitted)|unsupported)|\bsupport\w* (?:the )?['"`]?(?:system|developer)['"`]?(?: role| messages?| prompts?| instructions?| with\b)|\bonly user and assistant roles/i

/** Wordings that name a parameter. Without a name it is the first group. The first match counts. */
const patterns: ReadonlyArray<readonly [RegExp, name?: string]> = [
  [refusesLogprobs, "logprobs"],
  [/\bencrypted content is not supported|\breasoning\.encrypted_content\b/i, "include"],
  // Anthropic: at the beginning of the message, as a path before a colon or in backticks, or in known phrases.
  [/^(?:[\w ]{0,25}`)?(?:output_config\.)?effort\b[\w.-]*[:`]/, "output_config.effort"],
  [/^(?:[\w ]{0,25}`)?(?:output_config|output_format|format)\b[\w.-]*[:`]/, "output_config.format"],
  [/^(?:[\w ]{0,25}`)?(temperature|top_p|thinking|stop_sequences|max_tokens|model|system|messages)(?:\.[\w-]+)*[:`]/],
  [/\beffort (?:parameter|level)\b/, "output_config.effort"],
  [
    /compiled grammar is too large|too complex for compilation|structured outputs? (?:is|are) not supported/i,
    "output_config.format"
  ],
  [/^(temperature|top_p|thinking|stop_sequences?|max_tokens|model|system|messages?) (?:is|are|and|may|must|cannot)\b/],
  // OpenAI: after a word for parameters.
  [
    /(?:parameter|value|argument|schema for|supplied)\b[^'"`\n]{0,20}['"`: ](temperature|reasoning_effort|reasoning\.effort|reasoning|seed|stop|response_format|text\.format|json_schema|max_tokens|max_completion_tokens|max_output_tokens|logprobs|top_logprobs|stream_options|store|prompt_cache_key)\b/
  ],
  // A path before a colon, or in a list of errors, as Python servers write them.
  [
    /(?:^|[\s.'"])(temperature|reasoning_effort|seed|stop|strict|json_schema|response_format|logprobs|top_logprobs|stream_options|prompt_cache_key)['"]?(?:: |\),? ?['"]msg['"])/
  ],
  // Ollama: models that do not reason.
  [/does not support thinking/, "reasoning_effort"]
]

/** The refused parameter: the one that the server states as `param`, else the one that its message names. */
export const parameterOf = (message: string, param: unknown, endpoint: Endpoint): string | undefined => {
  if (refusesSystem.test(message)) return "system"
  const stated = identifier(param, endpoint)
  if (stated !== undefined) return stated
  for (const [pattern, name] of patterns) {
    const found = pattern.exec(message)
    if (found !== null) return name ?? found[1]
  }
  return undefined
}
