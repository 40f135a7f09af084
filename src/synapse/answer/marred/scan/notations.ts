/** Rewrites answers in notations of other tools or languages that become JSON when a few signs are replaced. */

interface Notation {
  readonly kind: string
  /** Rewrites the text as JSON. Returns it unchanged if it is not in this notation. */
  readonly read: (text: string) => string
}

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line.trim() !== "")

/** Removes a sign that all lines begin with. */
const withoutMark =
  (mark: RegExp) =>
  (text: string): string => {
    const lines = linesOf(text)
    return lines.length > 1 && lines.every((line) => mark.test(line))
      ? text
          .split("\n")
          .map((line) => line.replace(mark, ""))
          .join("\n")
      : text
  }

const insideFence =
  (read: (text: string) => string) =>
  (text: string): string => {
    const whole = text.trim()
    const begin = whole.indexOf("\n") + 1
    const end = whole.lastIndexOf("\n")
    const isFenced = begin > 0 && end > begin && whole.startsWith("```") && whole.slice(end).trim() === "```"
    if (!isFenced) return read(text)
    const inner = whole.slice(begin, end)
    const plain = read(inner)
    return plain === inner ? text : whole.slice(0, begin) + plain + whole.slice(end)
  }

const withoutCdata = (text: string): string => {
  const begin = text.indexOf("<![CDATA[")
  const end = begin === -1 ? -1 : text.indexOf("]]>", begin)
  return end === -1 ? text : text.slice(0, begin) + text.slice(begin + 9, end) + text.slice(end + 3)
}

const wide: Readonly<Record<string, string>> = { "｛": "{", "｝": "}", "［": "[", "］": "]", "＂": '"' }

const notations: ReadonlyArray<Notation> = [
  { kind: "quoted-lines", read: withoutMark(/^\s{0,3}> ?/) },
  { kind: "added-lines", read: insideFence(withoutMark(/^\+ ?/)) },
  { kind: "tag", read: withoutCdata },
  { kind: "tag", read: (text) => text.replace(/^\s*\$*\\boxed\{([^{}]*)\}\$*\s*$/, "$1") },
  { kind: "tag", read: (text) => text.replace(/^\s*\[TOOL_CALLS\]\s*(?=\S)/, "") },
  {
    kind: "quotes",
    read: (text) =>
      /^\s*[｛［]/.test(text) && !/[{["]/.test(text)
        ? text.replaceAll(/[｛｝［］＂]/g, (mark) => wide[mark] ?? mark)
        : text
  },
  {
    kind: "quotes",
    read: (text) => (/"[^"“”„\n]*”/.test(text) && !/[“„]/.test(text) ? text.replaceAll("”", '"') : text)
  },
  {
    kind: "quotes",
    read: (text) =>
      /^\s*\{""\w/.test(text) && !text.replaceAll('""', "").includes('"') ? text.replaceAll('""', '"') : text
  },
  {
    kind: "call",
    read: insideFence((text) =>
      text.replace(/^\s*[A-Za-z_][\w.]*\((\s*[A-Za-z_]\w*\s*=(?!=)[\s\S]*)\)\s*;?\s*$/, "{$1}")
    )
  },
  {
    kind: "symbols",
    read: (text) =>
      /^\s*\{\s*:\w/.test(text)
        ? text.replaceAll(/([{,\s]):([A-Za-z_][\w-]*)(?:\s*=>|(?=\s+["\d[{:tfn-]))/g, '$1"$2":')
        : text
  },
  { kind: "symbols", read: (text) => text.replaceAll(/([{,]\s*)\["([^"\]\n]{1,64})"\](?=\s*=[^=>])/g, '$1"$2"') }
]

/** The text rewritten as JSON, and the kind of notation. Undefined if it is in none of them. */
export const inJson = (text: string): { readonly text: string; readonly kind: string } | undefined => {
  for (const { kind, read } of notations) {
    const plain = read(text)
    if (plain !== text) return { text: plain, kind }
  }
  return undefined
}
