import type { Theme } from "vitepress"
import DefaultTheme from "vitepress/theme-without-fonts"
// oxlint-disable-next-line import/no-unassigned-import -- this is how Vite is given styles
import "./style.css"
import { draw } from "./diagrams.ts"

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ router }) => {
    if (typeof document === "undefined") return
    router.onAfterRouteChange = () => void draw()
    // the theme of the page is a class of its root
    const shown = new MutationObserver(() => void draw())
    shown.observe(document.documentElement, { attributeFilter: ["class"] })
    addEventListener("load", () => void draw())
  }
}

export default theme
