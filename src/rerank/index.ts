/** Rerankers behind HTTP: Cohere's, and those of servers that speak its API or that of Text Embeddings Inference. */
export * as Reranker from "./Reranker.ts"
