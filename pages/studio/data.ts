/** The data of pages, which is read again and again. */
import { useEffect, useState } from "preact/hooks"

export interface Loaded<A> {
  readonly value: A | undefined
  readonly failure: string | undefined
}

const gone = "The studio does not answer: its program has ended, or this page is from an earlier one."

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads JSON; fails with a message for people. */
const read = async (address: string, init: RequestInit = {}): Promise<unknown> => {
  let response: Response
  try {
    response = await fetch(address, { ...init, cache: "no-store" })
  } catch {
    throw new Error(gone)
  }
  if (response.status === 403)
    throw new Error("This page may not read any more: open the address that the studio has printed.")
  const text = await response.text().catch(() => "")
  const body = parsed(text)
  if (response.ok) return body
  const message = typeof body === "object" && body !== null && "error" in body ? String(body.error) : text.trim()
  throw new Error(message === "" || (response.status === 404 && body === undefined) ? gone : message)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Data at an address, read again while the page is visible: after as many milliseconds as `every` says, or never again. */
export const useData = <A>(
  address: string | undefined,
  every: (value: A | undefined) => number | undefined
): Loaded<A> & { readonly refresh: () => void } => {
  const [loaded, setLoaded] = useState<Loaded<A>>({ value: undefined, failure: undefined })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (address === undefined) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const again = (value: A | undefined): void => {
      const millis = every(value)
      if (millis !== undefined && !isOver) timer = setTimeout(next, millis, value)
    }
    const next = (before: A | undefined): void => {
      if (document.hidden) return again(before)
      read(address).then(
        (body) => {
          if (isOver) return
          // the server and this page are of one version
          const value = body as A
          setLoaded({ value, failure: undefined })
          again(value)
        },
        (error: unknown) => {
          if (isOver) return
          setLoaded(({ value }) => ({ value, failure: messageOf(error) }))
          again(before)
        }
      )
    }
    next(undefined)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [address, round])
  return { ...loaded, refresh: () => setRound((n) => n + 1) }
}

/** Sends an answer. Returns why it was refused, or undefined if it was taken. */
export const send = (address: string, value: unknown): Promise<string | undefined> =>
  read(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(value)
  }).then(() => undefined, messageOf)
