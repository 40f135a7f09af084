/** Ready-made tools for agents. */
export { files, type FileReaders, type FilesOptions, type FileTools } from "./files.ts"
export { type AnyKit, type Kit, merge } from "./kit/Kit.ts"
export { ToolFailed } from "./kit/ToolFailed.ts"
export { CommandResult, shell, type ShellOptions, type ShellTools } from "./shell.ts"
export { PageRead, scrape, type ScrapeOptions, type ScrapeTools } from "./scrape.ts"
export { search, SearchResult, type SearchToolOptions, type SearchTools } from "./search.ts"
export { type Documents, type Finder, Passage, retrieve, type RetrieveOptions, type RetrieveTools } from "./retrieve.ts"
export { recall, Recalled, type RecallOptions, type RecallTools } from "./recall.ts"
