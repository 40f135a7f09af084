/** The keyboard: j and k or the arrows go through the items, / searches, ? helps, Escape closes. */

export interface Actions {
  readonly close: () => boolean
  readonly help: () => void
}

const items = (): ReadonlyArray<HTMLElement> =>
  [...document.querySelectorAll<HTMLElement>("[data-item]")].filter((item) => item.checkVisibility())

const go = (by: 1 | -1): void => {
  const all = items()
  const { activeElement } = document
  const at = all.findIndex((item) => item === activeElement)
  let next = at + by
  if (at === -1) {
    // from where the reader is
    const below = all.findIndex((item) => item.getBoundingClientRect().top >= 0)
    next = below === -1 ? 0 : below
  }
  const item = all[next]
  item?.focus({ preventScroll: true })
  item?.scrollIntoView({ block: "nearest" })
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement

/** Listens until the returned function is called. */
export const listen = ({ close, help }: Actions): (() => void) => {
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const { key, target } = event
    if (key === "Escape") {
      if (close()) return
      const opened = document.activeElement?.closest("details[open]")
      if (opened instanceof HTMLDetailsElement) {
        opened.open = false
        opened.querySelector("summary")?.focus()
      } else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      return
    }
    if (isTyping(target)) {
      if (key === "ArrowDown" && target instanceof HTMLInputElement && target.type === "search") {
        event.preventDefault()
        document.querySelector<HTMLElement>(".note-list [data-item]")?.focus()
      }
      return
    }
    const onItem = target instanceof Element && target.closest("[data-item]") !== null
    if (key === "j" || (onItem && key === "ArrowDown")) {
      event.preventDefault()
      go(1)
    } else if (key === "k" || (onItem && key === "ArrowUp")) {
      event.preventDefault()
      go(-1)
    } else if (key === "/") {
      event.preventDefault()
      const search = document.getElementById("search")
      search?.focus()
      search?.scrollIntoView({ block: "center" })
    } else if (key === "?") help()
  }
  document.addEventListener("keydown", onKey)
  return () => document.removeEventListener("keydown", onKey)
}
