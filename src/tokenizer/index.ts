export * as Tokenizer from "./Tokenizer.ts"
