export * as Report from "./Report.ts"
