type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const words = new Set("$schema $defs title description default format allOf anyOf $ref if then else".split(" "))

/** Where a value does not fit a JSON Schema; none when it does. Knows the keywords that schemas of documents have. */
export const validate = (root: Json, value: unknown): ReadonlyArray<string> => {
  const check = (schema: unknown, value: unknown, path: string): ReadonlyArray<string> => {
    if (schema === true || schema === undefined) return []
    if (!isObject(schema)) return [`${path}: never`]
    const at = (fails: boolean, what: string): ReadonlyArray<string> => (fails ? [`${path}: ${what}`] : [])
    const problems: Array<string> = []
    for (const [keyword, told] of Object.entries(schema)) {
      switch (keyword) {
        case "type":
          problems.push(...at(!hasType(told, value), `type ${String(told)}`))
          break
        case "enum":
          problems.push(...at(!(told as ReadonlyArray<unknown>).includes(value), "enum"))
          break
        case "const":
          problems.push(...at(told !== value, "const"))
          break
        case "minLength":
          problems.push(...at(typeof value === "string" && value.length < Number(told), "minLength"))
          break
        case "pattern":
          problems.push(...at(typeof value === "string" && !new RegExp(String(told)).test(value), "pattern"))
          break
        case "minimum":
          problems.push(...at(typeof value === "number" && value < Number(told), "minimum"))
          break
        case "exclusiveMinimum":
          problems.push(...at(typeof value === "number" && value <= Number(told), "exclusiveMinimum"))
          break
        case "maximum":
          problems.push(...at(typeof value === "number" && value > Number(told), "maximum"))
          break
        case "minItems":
          problems.push(...at(Array.isArray(value) && value.length < Number(told), "minItems"))
          break
        case "required":
          for (const name of told as ReadonlyArray<string>) {
            problems.push(...at(isObject(value) && !Object.hasOwn(value, name), `required ${name}`))
          }
          break
        case "properties":
          if (!isObject(value)) break
          for (const [name, inner] of Object.entries(told as Json)) {
            if (Object.hasOwn(value, name)) problems.push(...check(inner, value[name], `${path}.${name}`))
          }
          break
        case "additionalProperties":
          if (!isObject(value)) break
          for (const name of Object.keys(value)) {
            if (Object.hasOwn(schema["properties"] ?? {}, name)) continue
            problems.push(
              ...(told === false ? [`${path}.${name}: unknown`] : check(told, value[name], `${path}.${name}`))
            )
          }
          break
        case "items":
          if (!Array.isArray(value)) break
          value
            .slice(((schema["prefixItems"] ?? []) as ReadonlyArray<unknown>).length)
            .forEach((inner, i) => problems.push(...check(told, inner, `${path}[${i}]`)))
          break
        case "prefixItems":
          if (!Array.isArray(value)) break
          ;(told as ReadonlyArray<unknown>).forEach((inner, i) => {
            if (i < value.length) problems.push(...check(inner, value[i], `${path}[${i}]`))
          })
          break
        default:
          if (!words.has(keyword)) throw new Error(`the keyword ${keyword} is not known here`)
      }
    }
    for (const inner of (schema["allOf"] ?? []) as ReadonlyArray<unknown>) problems.push(...check(inner, value, path))
    if (schema["if"] !== undefined) {
      const way = check(schema["if"], value, path).length === 0 ? "then" : "else"
      problems.push(...check(schema[way], value, path))
    }
    const forms = schema["anyOf"] as ReadonlyArray<unknown> | undefined
    if (forms !== undefined && forms.every((inner) => check(inner, value, path).length > 0)) {
      problems.push(`${path}: anyOf`)
    }
    const ref = schema["$ref"]
    if (typeof ref === "string") {
      const name = ref.replace("#/$defs/", "")
      const found = (root["$defs"] as Json)[name]
      if (found === undefined) throw new Error(`there is no ${name}`)
      problems.push(...check(found, value, path))
    }
    return problems
  }
  return check(root, value, "")
}

const hasType = (type: unknown, value: unknown): boolean => {
  switch (type) {
    case "object":
      return isObject(value)
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
