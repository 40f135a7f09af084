import { format } from "oxfmt"
import { type Place, placeOf, programsIn } from "./examples.ts"
import type { Entry, Module } from "./modules.ts"
import type { Sources } from "./sources.ts"

/** Categories of what programs receive, after those of what they call. */
const last = ["types", "models", "errors", "symbols", "other"]

interface Reference {
  readonly sources: Sources
  readonly modules: ReadonlyArray<Module>
  readonly examples: (module: Module, entry: Entry) => ReadonlyArray<Place>
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** From a page of the folder `api`. */
const link = ({ title, path }: Place): string => `[${title}](../${path})`.replace("(../api/", "(")

/** The declarations as one program, with the class that another one extends. */
const signature = async ({ sources }: Reference, { declarations }: Entry): Promise<string> => {
  const withBase = declarations.flatMap((declaration) => {
    const base = /^(?:abstract )?class \w+ extends (\w+_base)/.exec(declaration.text)?.[1]
    return base === undefined ? [declaration] : [...sources.declarationsOf(declaration.file, base), declaration]
  })
  const program = withBase.map(({ text }) => `declare ${text}`).join("\n\n")
  const { code, errors } = await format("signature.d.ts", program, {
    printWidth: 100,
    semi: false,
    trailingComma: "none"
  })
  if (errors.length > 0) throw new Error(`A signature cannot be read: ${errors[0]?.message}\n${program}`)
  return code.trim().replace(/^declare /gm, "")
}

/** What the declarations mention, by where it is declared. */
const idsIn = (sources: Sources, { declarations }: Entry): ReadonlySet<string> =>
  new Set(
    declarations.flatMap(({ file, mentions }) =>
      Array.from(mentions, (mention) => sources.meaning(file, mention)).flatMap((target) =>
        target?._tag === "Name" ? [`${target.file}#${target.name}`] : []
      )
    )
  )

/** The public types that the declarations mention. */
const mentionedIn = ({ modules, sources }: Reference, module: Module, entry: Entry): ReadonlyArray<Place> => {
  const nearest = [module, ...modules]
  const places = [...idsIn(sources, entry)].flatMap((id) => {
    if (id === entry.id) return []
    const owner = nearest.find(({ entries }) => entries.some((one) => one.id === id))
    const found = owner?.entries.find((one) => one.id === id)
    return owner === undefined || found === undefined ? [] : [placeOf(owner, found)]
  })
  return places.toSorted((a, b) => (a.title < b.title ? -1 : 1))
}

/** The functions and layers with examples whose signatures have a type. */
const usersOf = (reference: Reference, module: Module, entry: Entry): ReadonlyArray<Place> =>
  [module, ...reference.modules.filter((one) => one !== module)].flatMap((owner) =>
    owner.entries
      .filter((user) => user.isValue && programsIn(user.doc).length > 0 && idsIn(reference.sources, user).has(entry.id))
      .map((user) => placeOf(owner, user))
  )

/** Names such as `Step.retry` in running text become links; code stays as it is. */
const linked = (modules: ReadonlyArray<Module>, text: string): string =>
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part.replace(/(?<!\[)`([A-Z]\w+)\.(\w+)`/g, (whole, owner: string, name: string) => {
            const module = modules.find((one) => one.name === owner)
            const entry = module?.entries.find((one) => one.name === name)
            return module === undefined || entry === undefined ? whole : `[${whole}](${owner}.md#${name})`
          })
    )
    .join("")

const section = async (reference: Reference, module: Module, entry: Entry): Promise<string> => {
  const { examples, modules } = reference
  const [summary = "", ...rest] = linked(modules, entry.doc).split(/\n\n/)
  const types = mentionedIn(reference, module, entry)
  const own = examples(module, entry)
  const shown = (own.length > 0 ? own : usersOf(reference, module, entry)).filter(
    ({ path }) => path !== placeOf(module, entry).path
  )
  return [
    `### ${entry.name} {#${entry.name}}`,
    summary,
    `\`\`\`ts\n${await signature(reference, entry)}\n\`\`\``,
    types.length === 0 ? "" : `Types: ${types.map(link).join(", ")}`,
    rest.join("\n\n"),
    shown.length === 0 ? "" : `Example: ${shown.slice(0, 3).map(link).join(", ")}`
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** The page of a module. */
export const pageOf = async (reference: Reference, module: Module): Promise<string> => {
  const groups = Map.groupBy(module.entries, ({ category }) => category)
  const order = [...groups.keys()].filter((name) => !last.includes(name))
  const parts = [...order, ...last].flatMap((category) => {
    const entries = groups.get(category) ?? []
    return entries.length === 0 ? [] : [{ category, entries }]
  })
  const sections = await Promise.all(
    parts.map(async ({ category, entries }) => {
      const described = await Promise.all(entries.map((entry) => section(reference, module, entry)))
      return `## ${capitalized(category)} {#group-${category.replaceAll(" ", "-")}}\n\n${described.join("\n\n")}`
    })
  )
  const nested = module.parent === undefined ? "" : ` It is \`${module.parent}.${module.name}\`.`
  const from = /\/[A-Z]\w*$/.test(module.specifier) ? "cogito" : module.specifier
  const isOfTypes = module.entries.every(({ isValue }) => !isValue) && module.parent === undefined
  const imports = isOfTypes ? `type * as ${capitalized(module.name)}` : `{ ${module.parent ?? module.name} }`
  return `${[
    `# ${module.name}`,
    `\`\`\`ts\nimport ${imports} from "${from}"\n\`\`\``,
    `${linked(reference.modules, module.doc)}${nested}`,
    ...sections
  ].join("\n\n")}\n`
}
