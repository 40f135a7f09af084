/** Pages that show a memory in a browser on this machine, served by the program that has it open. */
export * as Studio from "./Studio.ts"
