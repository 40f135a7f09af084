/** Dark or light: as the system prefers, until the reader chooses. */

const otherTheme = (): "dark" | "light" => {
  const set = document.documentElement.dataset["theme"]
  const isDark = set === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : set === "dark"
  return isDark ? "light" : "dark"
}

export const ThemeButton = ({ onChange }: { readonly onChange?: (theme: "dark" | "light") => void }) => (
  <button
    type="button"
    id="theme"
    aria-label="Change between dark and light"
    onClick={() => {
      const theme = otherTheme()
      document.documentElement.dataset["theme"] = theme
      onChange?.(theme)
    }}
  >
    ◐
  </button>
)
