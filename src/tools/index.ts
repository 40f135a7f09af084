/** Ready-made tools for agents: files, commands, web pages, searches and the memory. For Node. */
export * as Tools from "./Tools.ts"
