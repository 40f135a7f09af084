/** Providers over the Responses API of a server of this machine. */
import { OpenAi } from "cogito/openai"
import { key } from "../faults/clean.ts"

export type Options = Partial<Parameters<typeof OpenAi.make>[0]>

/** A provider over a server of this machine, whose sockets close with the scope. */
export const making = (baseUrl: string, options: Options = {}) =>
  OpenAi.make({ model: "gpt-5-mini", apiKey: key, baseUrl, api: "responses", mode: "resume", ...options })
