import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig, type DefaultTheme } from "vitepress"
import { slug } from "./slug.ts"

interface Navigation {
  readonly description: string
  readonly outDir: string
  readonly nav: Array<DefaultTheme.NavItem>
  readonly sidebar: DefaultTheme.SidebarMulti
}

// VitePress reads this from the folder of the pages, where the build has written what it found.
const { description, nav, outDir, sidebar }: Navigation = JSON.parse(
  readFileSync(join(process.env["COGITO_PAGES"] ?? "", "navigation.json"), "utf8")
)

export default defineConfig({
  title: "cogito",
  description,
  lang: "en",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/favicon.svg" }]],
  outDir,
  cacheDir: join(outDir, "../.cache"),
  lastUpdated: false,
  // what no page answers is a mistake
  ignoreDeadLinks: false,
  // these are for programs that fetch them as they are
  srcExclude: ["public/**"],
  vite: {
    build: { chunkSizeWarningLimit: 4000 },
    logLevel: "warn"
  },
  markdown: {
    anchor: { slugify: slug },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (markdown) => {
      const fence = markdown.renderer.rules.fence
      // a diagram is drawn where it is read; without a script its source is shown
      markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
        const token = tokens[index]
        if (token?.info.trim() !== "mermaid") return fence?.(tokens, index, options, env, self) ?? ""
        return `<pre class="mermaid" v-pre>${markdown.utils.escapeHtml(token.content)}</pre>`
      }
    }
  },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        detailedView: false,
        // words are found in code whatever its colours, and colours take most of the time
        _render: (source, env, markdown) => {
          const { highlight } = markdown.options
          markdown.set({ highlight: null })
          const html = markdown.render(source, env)
          markdown.set({ highlight: highlight ?? null })
          return html
        }
      }
    },
    docFooter: { prev: "Previous page", next: "Next page" }
  }
})
