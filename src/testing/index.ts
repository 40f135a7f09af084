export * as Testing from "./Testing.ts"
