/** The text of an answer. */
import type { IncomingMessage } from "node:http"
import { pipeline, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { quoted } from "../../text/legible.ts"
import { toolFailed } from "../kit/ToolFailed.ts"

export interface Body {
  readonly text: string
  readonly isHtml: boolean
  /** Whether it goes on after `maxBytes`. */
  readonly isCut: boolean
}

const decoders = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress
}

/** The bytes before they were compressed. */
const unpacked = (response: IncomingMessage): Readable => {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (encoding === "identity" || encoding === "") return response
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding as keyof typeof decoders] : undefined
  if (decoder === undefined) throw toolFailed("NotText", `The page is packed as ${quoted(encoding)}.`)
  // its errors come from the last stream
  return pipeline(response, decoder(), () => {})
}

/** The beginning of a stream. */
const beginning = async (stream: Readable, maxBytes: number) => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  // leaving the loop ends the connection
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes }
}

const html = /^(?:text\/html|application\/xhtml\+xml)$/
const textual =
  /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml|yaml)|application\/(?:x-)?(?:javascript|ndjson))$/

/** Reads an answer as text. Fails for other types before anything is read. */
export const bodyOf = async (response: IncomingMessage, maxBytes: number): Promise<Body> => {
  const [type = "", ...parameters] = (response.headers["content-type"] ?? "").split(";").map((one) => one.trim())
  const media = type.toLowerCase()
  const isHtml = html.test(media)
  if (!textual.test(media)) {
    response.destroy()
    const what = type === "" ? "of no known type" : `of the type ${quoted(type)}`
    throw toolFailed("NotText", `The page is ${what}, and only text is read.`)
  }
  const { bytes, isCut } = await beginning(unpacked(response), maxBytes)
  const given = parameters.flatMap((one) => /^charset\s*=\s*"?([^"\s]+)"?$/i.exec(one)?.[1] ?? [])
  return { text: decoded(bytes, given[0] ?? (isHtml ? declared(bytes) : undefined)), isHtml, isCut }
}

/** The charset that a page itself declares at its beginning. */
const declared = (bytes: Buffer): string | undefined =>
  /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w:-]{1,40})/i.exec(bytes.toString("latin1", 0, 2048))?.[1]

const decoded = (bytes: Uint8Array, charset = "utf-8"): string => {
  const [first, second] = bytes
  // a byte order mark says more than any declaration
  const marked =
    first === 0xef && second === 0xbb
      ? "utf-8"
      : first === 0xfe && second === 0xff
        ? "utf-16be"
        : first === 0xff && second === 0xfe
          ? "utf-16le"
          : charset
  return decoderOf(marked).decode(bytes)
}

const decoderOf = (charset: string): TextDecoder => {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
