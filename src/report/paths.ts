/** The path of a step from the frame of an entry into it. */

/** Names from the pipeline to the step: `/mail/urgent@2` is the second entry into `["mail", "urgent"]`. */
export const pathOf = (frame: string): ReadonlyArray<string> =>
  frame
    .replace(/\^.*$/, "")
    .split("/")
    .slice(1)
    .map((name) => name.replace(/@\d+$/, "").replaceAll(/~([0-3])/g, (_, at: string) => "~/@^"[Number(at)] ?? ""))
