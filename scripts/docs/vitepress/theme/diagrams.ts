import { withBase } from "vitepress"

interface Mermaid {
  readonly initialize: (options: object) => void
  readonly render: (id: string, source: string) => Promise<{ readonly svg: string }>
}

declare global {
  var mermaid: Mermaid | undefined
}

let loading: Promise<Mermaid> | undefined

/** The program that draws comes from this site, and only for pages with diagrams. */
const load = (): Promise<Mermaid> =>
  (loading ??= new Promise((done, fail) => {
    const script = document.createElement("script")
    script.src = withBase("/mermaid.js")
    script.addEventListener("load", () => (globalThis.mermaid === undefined ? fail() : done(globalThis.mermaid)))
    script.addEventListener("error", fail)
    document.head.append(script)
  }))

const sources = new WeakMap<Element, string>()
let count = 0

/** Draws the diagrams of the page in the colours of its theme. */
export const draw = async (): Promise<void> => {
  const places = document.querySelectorAll("pre.mermaid")
  if (places.length === 0) return
  const theme = document.documentElement.classList.contains("dark") ? "dark" : "neutral"
  const mermaid = await load()
  const { fontFamily } = getComputedStyle(document.body)
  const background = getComputedStyle(document.documentElement).getPropertyValue("--vp-c-bg-soft").trim()
  // the words on arrows are read on what the diagram stands on
  mermaid.initialize({ startOnLoad: false, theme, fontFamily, themeVariables: { edgeLabelBackground: background } })
  for (const place of places) {
    if (place.getAttribute("data-theme") === theme) continue
    place.setAttribute("data-theme", theme)
    const source = sources.get(place) ?? place.textContent
    sources.set(place, source)
    const { svg } = await mermaid.render(`diagram-${count++}`, source)
    place.innerHTML = svg
  }
}
