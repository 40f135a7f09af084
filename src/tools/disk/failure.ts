/** What the system says of files, in words for a model. */
import { quoted } from "../../text/legible.ts"
import { asToolFailed, type ToolFailed, toolFailed } from "../kit/ToolFailed.ts"

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

const reasons: Readonly<Record<string, readonly [ToolFailed["reason"], string]>> = {
  ENOENT: ["NotFound", "is not there any more"],
  ENOTDIR: ["Invalid", "is not a folder"],
  EISDIR: ["Invalid", "is a folder, not a file"],
  EEXIST: ["Conflict", "is there already"],
  ELOOP: ["Refused", "is a link that cannot be followed"],
  ENXIO: ["NotText", "is not a file with text"],
  EACCES: ["Refused", "cannot be used: the program has no right to it"],
  EPERM: ["Refused", "cannot be used: the program has no right to it"],
  EROFS: ["Refused", "cannot be changed: the disk is read-only"],
  ENAMETOOLONG: ["Invalid", "has too long a name"],
  ENOTEMPTY: ["Conflict", "is a folder that is not empty"],
  ENOSPC: ["Failed", "could not be written: the disk is full"]
}

/** The failure of an operation on a path. */
export const failureOf = (path: string, error: unknown): ToolFailed => {
  const code = codeOf(error)
  if (code === undefined) return asToolFailed(error)
  const [reason, words] = reasons[code] ?? ["Failed", `cannot be used (${code})`]
  return toolFailed(reason, `${quoted(path)} ${words}.`)
}
