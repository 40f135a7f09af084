/** The two forms of rerank requests and answers. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** How requests are written, how answers are read, and how many texts fit into one request. */
export interface Format {
  readonly mostTexts: number
  readonly body: (model: string, query: string, texts: ReadonlyArray<string>) => object
  /** The scores of an answer, each with the index of its text; undefined if it has another form. */
  readonly scores: (body: unknown) => ReadonlyArray<readonly [index: number, score: number]> | undefined
}

const Cohere = Schema.Struct({
  results: Schema.Array(Schema.Struct({ index: Schema.Int, relevance_score: Schema.Finite }))
})
const Tei = Schema.Array(Schema.Struct({ index: Schema.Int, score: Schema.Finite }))

const [readCohere, readTei] = [Schema.decodeUnknownOption(Cohere), Schema.decodeUnknownOption(Tei)]

export const formats: Readonly<Record<"cohere" | "tei", Format>> = {
  cohere: {
    mostTexts: 1000,
    body: (model, query, documents) => ({ model, query, documents }),
    scores: (body) =>
      Option.getOrUndefined(
        Option.map(readCohere(body), ({ results }) =>
          results.map(({ index, relevance_score }) => [index, relevance_score] as const)
        )
      )
  },
  tei: {
    // what the server accepts unless it is started with another limit
    mostTexts: 32,
    body: (_model, query, texts) => ({ query, texts, truncate: true }),
    scores: (body) =>
      Option.getOrUndefined(
        Option.map(readTei(body), (results) => results.map(({ index, score }) => [index, score] as const))
      )
  }
}
