/** What stands around a value in an answer: words, fences, thoughts, other values. */

/** An answer with the value, and where it needs one, with another value as a draft. */
export interface Wrapping {
  readonly wrap: (text: string, draft: string) => string
  /** Whether nothing is to be taken, because the answer itself takes the value back. */
  readonly refuses?: boolean
}

const around = (before: string, after: string): Wrapping => ({ wrap: (text) => `${before}${text}${after}` })

const eachLine = (mark: string): Wrapping => ({
  wrap: (text) =>
    text
      .split("\n")
      .concat(text.includes("\n") ? [] : [""])
      .map((line) => `${mark}${line}`)
      .join("\n")
})

const inQuotes = (open: string, close: string): Wrapping => ({
  wrap: (text) =>
    text
      .split('"')
      .map((part, i) => (i === 0 ? part : `${i % 2 === 1 ? open : close}${part}`))
      .join("")
})

const asEntities: Readonly<Record<string, string>> = { '"': "&quot;", "'": "&#39;", "<": "&lt;", ">": "&gt;" }

export const wrappings: Readonly<Record<string, Wrapping>> = {
  nothing: around("", ""),
  fence: around("```json\n", "\n```"),
  "bare fence": around("```\n", "\n```\n"),
  tildes: around("~~~~\n", "\n~~~~"),
  "fence of one line": around("```json ", " ```"),
  "open fence": around("Here:\n\n```yaml\n", ""),
  "prose before": around("Sure! Here is what you asked for:\n\n", ""),
  "prose after": around("", "\n\nLet me know if you need anything else (or less)."),
  "prose and a fence": around("The value [1] is:\n\n```json\n", "\n```\n\nSee {above}."),
  thought: around('<think>\nThe user wants it. Let me see: it\'s "easy".\n</think>\n\n', ""),
  "thought with a draft": { wrap: (text, draft) => `<think>Maybe ${draft}? No.</think>\n${text}` },
  "thought with a fence": { wrap: (text, draft) => `<think>\n\`\`\`json\n${draft}\n\`\`\`\n</think>\n${text}` },
  "thought with lines": around("<thinking>\nname: Bob\nlevel: high\n</thinking>\n", ""),
  "end of a thought": { wrap: (text, draft) => `So it may be\n\`\`\`\n${draft}\n\`\`\`\nor not.\n</think>\n${text}` },
  "fence after a thought": {
    wrap: (text, draft) => `First:\n\`\`\`json\n${draft}\n\`\`\`\n</think>\n\`\`\`json\n${text}\n\`\`\``
  },
  correction: { wrap: (text, draft) => `${draft}\n\nWait, corrected:\n\n${text}` },
  example: { wrap: (text, draft) => `For example: ${draft}\n\nThe answer is:\n${text}` },
  "the same twice": { wrap: (text) => `${text}\n\n${text}` },
  "quoted lines": eachLine("> "),
  "added lines": eachLine("+"),
  "indented lines": eachLine("    "),
  entities: { wrap: (text) => text.replaceAll(/["'<>]/g, (char) => asEntities[char] ?? char) },
  "curly quotes": inQuotes("“", "”"),
  "low quotes": inQuotes("„", "“"),
  bold: around("**", "**"),
  code: around("`", "`"),
  wrapper: around('{"result": ', "}"),
  "wrapper with more": around('{"status": "ok", "answer": ', "}"),
  list: around("[", "]"),
  "tool call": around('{"name": "answer", "arguments": ', "}"),
  tag: around("<answer>\n", "\n</answer>"),
  "tool calls": around("[TOOL_CALLS] ", ""),
  "text in a text": { wrap: (text) => JSON.stringify(text).slice(1, -1) },
  "byte order mark": around("\ufeff", "\u00a0\n"),
  "invisible marks": around("\u200b", "\u200d"),
  "comment after": around("// the value\n", " // done\n"),
  "taken back": { wrap: (text) => `${text}\n\nWait, that is wrong.`, refuses: true }
}
