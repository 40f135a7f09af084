/** Texts of any length, each with much of one thing that a careless parser reads again and again. */

const answer = '{"title": "Router reboots", "priority": "high", "urgent": true}'

/** As many repetitions of a part as make the length. */
const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length))

const halves = (open: string, close: string, length: number): string => {
  const times = Math.ceil(length / (open.length + close.length))
  return open.repeat(times) + close.repeat(times)
}

/** Valid JSON: a list of tickets. */
export const tickets = (length: number): string =>
  `[${Array.from({ length: Math.ceil(length / (answer.length + 1)) }, () => answer).join(",")}]`

/** Each makes a text of about this length; the answer to a ticket's schema is at its end where there is one. */
export const forms: Readonly<Record<string, (length: number) => string>> = {
  "lists in lists": (length) => halves("[", "]", length) + answer,
  "lists that never end": (length) => filled("[", length),
  "objects in objects": (length) => halves('{"a":', "}", length),
  "objects that never end": (length) => filled('{"a":', length),
  "wrappers in wrappers": (length) => {
    const times = Math.ceil(length / 12)
    return '{"result": '.repeat(times) + answer + "}".repeat(times)
  },
  "quotes alone": (length) => filled('"', length),
  "quotes that nobody escaped": (length) => `{"title": "${filled('he said "no" and ', length)}", "urgent": true}`,
  "quotes and commas that nobody escaped": (length) => `{"title": "${filled('a", "b, ', length)}", "urgent": true}`,
  "single quotes and apostrophes": (length) => `{'title': '${filled("it's Ann's ", length)}', 'urgent': true}`,
  "typographic quotes": (length) => `{“title”: “${filled("“ ” ", length)}”, “urgent”: true}`,
  "triple quotes": (length) => filled('"""', length),
  backslashes: (length) => `{"title": "${filled("\\", length)}", "urgent": true}`,
  "braces in prose": (length) => `${filled("see {this} or {that}; ", length)}\n${answer}`,
  "braces that open": (length) => `${filled("{ ", length)}\n${answer}`,
  "braces that close": (length) => `${filled("} ", length)}\n${answer}`,
  "brackets in prose": (length) => `${filled("see [1] and [2, 3]; ", length)}\n${answer}`,
  "fences with something else": (length) => `${filled("```js\nrun()\n```\n", length)}\n${answer}`,
  "fences with nothing": (length) => `${filled("```\n", length)}${answer}`,
  backticks: (length) => `${filled("`", length)}${answer}`,
  "candidates that do not fit": (length) => `${filled('{"title": "no"}\n', length)}${answer}`,
  "candidates that fit": (length) => filled(`${answer}\n`, length),
  "candidates that break": (length) => filled('{"title": "no", \n', length),
  "thoughts that begin": (length) => `${filled("<think>", length)}${answer}`,
  "thoughts that end": (length) => `${filled("</think>", length)}${answer}`,
  "thoughts that end in broken lists": (length) => `a"""${filled("</think>[[", length)}`,
  "thoughts that end in fences": (length) => filled("````{[</think>", length),
  thoughts: (length) => `${filled("<think>{}</think>", length)}${answer}`,
  tags: (length) => filled("<a>", length),
  "comments that begin": (length) => `{${filled("/* ", length)}`,
  "comments of a line": (length) => `{${filled("// no\n", length)}"title": "x"}`,
  commas: (length) => `[${filled(",", length)}]`,
  colons: (length) => `{"title": ${filled(":", length)}}`,
  "keys and values in lines": (length) => filled("title: Router reboots\n", length),
  "a list in lines": (length) => filled("- Router reboots\n", length),
  "keys that are alike": (length) => `{${filled('"Title": "a", "TITLE": "b", ', length)}"urgent": true}`,
  "words without quotes": (length) => `{title: ${filled("router reboots ", length)}, urgent: true}`,
  "words and commas without quotes": (length) => `{title: ${filled("b,", length)}`,
  "words and semicolons": (length) => filled("x;", length),
  "words that run into calls": (length) => filled("f(", length),
  digits: (length) => `{"title": ${filled("1", length)}, "priority": "low", "urgent": true}`,
  "white space": (length) => `${filled(" ", length)}{${filled("\n", length)}`,
  entities: (length) => filled("{&quot;title&quot;: ", length),
  "entities alone": (length) => filled("&quot;", length),
  "text in text": (length) => {
    let text = answer
    while (text.length < length) text = JSON.stringify(text)
    return text
  },
  "empty objects": (length) => filled("{}", length),
  "empty objects and an answer": (length) => filled("{}", length) + answer,
  "empty lists": (length) => filled("[]", length),
  "small objects": (length) => filled('{"a":1}', length),
  "small lists": (length) => filled("[1] ", length),
  "texts alone": (length) => filled('"a" ', length),
  "objects in fences": (length) => filled("```json\n{}\n```\n", length),
  "objects in tags": (length) => filled("<answer>{}</answer>", length),
  "a list of empty objects": (length) => `[${filled("{},", length)}]`,
  "a valid list of empty objects": (length) => `[${filled("{},", length)}{}]`,
  "an object of many keys": (length) =>
    `{${Array.from({ length: Math.ceil(length / 12) }, (_, i) => `"k${i}": ${i % 10}`).join(", ")}, }`,
  "rows of a table": (length) => `| title | urgent |\n|---|---|\n${filled("| a | true |\n", length)}`,
  "rules of tables": (length) => filled("|---|\n", length),
  "cells of a row": (length) => `| title | urgent |\n|---|---|\n${filled("| a ", length)}`,
  "elements of XML": (length) => `<ticket>${filled("<title>a</title>", length)}</ticket>`,
  "elements that begin": (length) => `<ticket>${filled("<title>", length)}</ticket>`,
  "quoted lines": (length) => filled("> {\n", length),
  "added lines": (length) => `\`\`\`diff\n${filled("+ {\n", length)}\n\`\`\``,
  "CDATA that begins": (length) => filled("<![CDATA[", length),
  "a formula": (length) => `\\boxed{${filled("1 ", length)}`,
  "arguments of a call": (length) => `ticket(${filled('title="a", ', length)}`,
  "symbols of Ruby": (length) => `{ ${filled(":title => ", length)}`,
  "keys of Lua": (length) => `{ ${filled('["a"] = 1, ', length)}`,
  "wide brackets": (length) => filled("｛＂", length),
  "quotes of two sorts": (length) => `{"title”: "${filled('a”, "', length)}`,
  "quotes twice": (length) => `{""title"": ${filled('""a""', length)}`,
  "a list that is cut off": (length) => `[${filled('{"title": "a"},', length)}`,
  "objects that are cut off inside one another": (length) =>
    `${'{"a": 1, "b": '.repeat(250)}"${filled("x", length - 3500)}`,
  "a long text that is cut off": (length) => `{"title": "a", "b": "${filled("x ", length)}`,
  "brackets that are wrong": (length) => `[${filled('{"a": [1, 2}, ', length)}]`,
  "one bracket that is wrong, deep down": (length) => `${halves('{"a":[', "]}", length)}}`,
  "a mark that is wrong in a long list": (length) =>
    `[${filled('"a", ', length / 2)}"b, ${filled('"a", ', length / 2)}"c"]`,
  "answers that are corrected": (length) => filled(`${answer}\nWait, actually: `, length),
  "answers that are denied": (length) => filled(`Not ${answer}\n`, length),
  "control characters": (length) => `{"title": ${filled("\u0001", length)}}`,
  prose: (length) => filled("The router reboots every night, which the customer calls urgent. ", length)
}
