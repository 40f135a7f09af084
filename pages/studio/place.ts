/** Where the page is: its folder, its path in it, and the addresses of other pages. */

const base = document.getElementById("app")?.dataset["base"] ?? "/"

/** The address of a page or of data. Parts are names, which may contain any character. */
export const to = (parts: ReadonlyArray<string>, query: Readonly<Record<string, string | undefined>> = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const search = new URLSearchParams(given).toString()
  return `${base}${parts.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`
}

/** The names in the path of this page. */
export const parts: ReadonlyArray<string> = location.pathname
  .slice(base.length)
  .split("/")
  .filter((part) => part !== "")
  .map(decodeURIComponent)

export const query = new URLSearchParams(location.search)

/** Removes the token from the address, so that it stays neither on the screen nor in links that are copied. */
export const hideToken = (): void => {
  if (!query.has("token")) return
  query.delete("token")
  history.replaceState(null, "", location.pathname)
}
