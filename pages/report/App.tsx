/** The page: the sections of a report, and what is open beside them. */
import { type ComponentChildren, options } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { RunReport } from "../../src/report/model.ts"
import { Answers } from "./Answers.tsx"
import { Calls } from "./Calls.tsx"
import { Compare } from "./Compare.tsx"
import { Details } from "./Details.tsx"
import { Graph } from "./Graph.tsx"
import { Header } from "./Header.tsx"
import { listen } from "./keys.ts"
import { type Target, viewOf } from "./model.ts"
import { NoteLog } from "./NoteLog.tsx"
import { Origins } from "./Origins.tsx"
import { SharedProvider } from "./parts.tsx"
import { ThemeButton } from "./Theme.tsx"
import { Timeline } from "./Timeline.tsx"
import { moment, shown } from "./words.ts"

const sections = [
  ["timeline", "Timeline"],
  ["answers", "Answers"],
  ["calls", "Calls"],
  ["pipeline", "Pipeline"],
  ["origins", "Origins"],
  ["compare", "Forks"],
  ["notes", "Notes"]
] as const

const keys = [
  ["j / k", "next or previous item; the arrows do the same on an item"],
  ["Enter", "open"],
  ["Escape", "close"],
  ["/", "search the notes"],
  ["?", "this help"]
] as const

const Help = ({ close }: { readonly close: () => void }) => {
  const closing = useRef<HTMLButtonElement>(null)
  useEffect(() => closing.current?.focus(), [])
  return (
    <div class="help" role="dialog" aria-label="Keyboard" aria-modal="true">
      <h2>Keyboard</h2>
      <dl class="facts">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="close" ref={closing} onClick={close} aria-label="Close">
        ×
      </button>
    </div>
  )
}

/** Unfolds everything for paper, and folds it again. */
const usePrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    let unfolded: ReadonlyArray<HTMLDetailsElement> = []
    const now = (printing: boolean) => {
      // the browser prints as soon as this returns
      options.debounceRendering = (render) => render()
      setPrinting(printing)
      delete options.debounceRendering
    }
    const before = () => {
      now(true)
      const folded = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")]
      for (const one of folded) one.open = true
      // a browser may announce the same print twice
      unfolded = [...unfolded, ...folded]
    }
    const after = () => {
      for (const one of unfolded) one.open = false
      unfolded = []
      now(false)
    }
    addEventListener("beforeprint", before)
    addEventListener("afterprint", after)
    return () => {
      removeEventListener("beforeprint", before)
      removeEventListener("afterprint", after)
    }
  }, [])
  return isPrinting
}

/** What is around a report that is shown in another place than a file of its own. */
export interface Around {
  /** The name of that place, for the title of the window. */
  readonly place: string
  /** In the bar at the top, in place of the name. */
  readonly brand: ComponentChildren
  /** After the header of the report. */
  readonly news: ComponentChildren
  /** At the end, after the time when the report was made. */
  readonly note: string
}

const inFile: Around = {
  place: "cogito report",
  brand: <span class="brand">cogito</span>,
  news: null,
  note: "This file contains the texts of all notes."
}

export const App = ({ around = inFile, report }: { readonly report: RunReport; readonly around?: Around }) => {
  const [runId, choose] = useState(report.focus.runId)
  const [target, setTarget] = useState<Target | undefined>(undefined)
  const [isHelping, setHelping] = useState(false)
  const [there, setThere] = useState<ReadonlyArray<string>>([])
  const isPrinting = usePrinting()
  const view = useMemo(() => viewOf(report, runId), [report, runId])
  /** What had the focus before something was opened. */
  const before = useRef<Element | null>(null)

  const open = (next: Target) => {
    if (target === undefined) before.current = document.activeElement
    setTarget(next)
  }
  const close = (): boolean => {
    if (!isHelping && target === undefined) return false
    if (isHelping) setHelping(false)
    else setTarget(undefined)
    if (before.current instanceof HTMLElement) before.current.focus()
    return true
  }
  const help = () => {
    before.current = document.activeElement
    setHelping(true)
  }
  useEffect(() => listen({ close, help }))
  useEffect(() => setThere(sections.map(([id]) => id).filter((id) => document.getElementById(id) !== null)), [view])
  useEffect(() => {
    document.title = `${shown(view.thought.intent)} · ${around.place}`
  }, [view])

  return (
    <SharedProvider value={{ view, open }}>
      <a class="skip" href="#main">
        Skip to the report
      </a>
      <nav aria-label="Sections">
        {around.brand}
        <div class="nav-links">
          {sections
            .filter(([id]) => there.includes(id))
            .map(([id, name]) => (
              <a key={id} href={`#${id}`}>
                {name}
              </a>
            ))}
        </div>
        <div class="tools">
          <button type="button" onClick={help} aria-label="Help on the keyboard">
            ?
          </button>
          <ThemeButton />
        </div>
      </nav>
      <main id="main" class={target === undefined ? "" : "beside"}>
        <Header />
        {around.news}
        <Timeline />
        <Answers />
        <Calls />
        <Graph />
        <Origins />
        <Compare
          chosen={runId}
          choose={(id) => {
            choose(id)
            setTarget(undefined)
            scrollTo({ top: 0 })
          }}
        />
        <NoteLog key={view.thought.id} isPrinting={isPrinting} />
        <footer>
          Collected {moment(report.collectedMillis)}. {around.note}
        </footer>
      </main>
      {target === undefined ? null : <Details target={target} close={close} />}
      {isHelping ? <Help close={close} /> : null}
    </SharedProvider>
  )
}
