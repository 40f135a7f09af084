/** The bar with the pages of the studio. */
import { ThemeButton } from "../report/Theme.tsx"
import { parts, to } from "./place.ts"

const links = [
  ["runs", "Runs"],
  ["thoughts", "Thoughts"],
  ["questions", "Questions"],
  ["search", "Search"]
] as const

const here = parts[0] ?? "runs"

/** The name of the page that is open. */
export const pageName: string = links.find(([name]) => name === here)?.[1] ?? "Runs"

const themeKey = "cogito-studio-theme"

/** Takes the theme that was chosen on an earlier page of this tab. */
export const restoreTheme = (): void => {
  const theme = sessionStorage.getItem(themeKey)
  if (theme !== null) document.documentElement.dataset["theme"] = theme
}

export const Bar = () => (
  <header class="studio-bar">
    <nav aria-label="Studio">
      <a class="brand" href={to([])}>
        cogito studio
      </a>
      <div class="nav-links">
        {links.map(([name, label]) => (
          <a key={name} href={to([name])} aria-current={name !== here ? undefined : parts.length > 1 ? "true" : "page"}>
            {label}
          </a>
        ))}
      </div>
      <div class="tools">
        <ThemeButton onChange={(theme) => sessionStorage.setItem(themeKey, theme)} />
      </div>
    </nav>
  </header>
)
