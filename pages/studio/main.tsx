/** The pages of the studio. */
import { render } from "preact"
import { Bar, pageName, restoreTheme } from "./Bar.tsx"
import { hideToken, parts } from "./place.ts"
import { Questions } from "./questions.tsx"
import { Record } from "./record.tsx"
import { Runs } from "./runs.tsx"
import { Search } from "./search.tsx"
import { Thoughts } from "./thoughts.tsx"

const List = () => {
  const [name] = parts
  if (name === "thoughts") return <Thoughts />
  if (name === "questions") return <Questions />
  return name === "search" ? <Search /> : <Runs />
}

const Page = () => {
  const [name, id] = parts
  if (id !== undefined) return <Record kind={name === "runs" ? "runs" : "thoughts"} id={id} />
  return (
    <>
      <a class="skip" href="#main">
        Skip to the contents
      </a>
      <Bar />
      <main id="main" tabIndex={-1}>
        <List />
      </main>
    </>
  )
}

hideToken()
restoreTheme()
document.title = `${pageName} · cogito studio`
const app = document.getElementById("app")
if (app !== null) render(<Page />, app)
