/** Pipelines, single calls, agents and the memory as promises, without knowing Effect. */
export * as Cogito from "./Cogito.ts"
