/** Answers in the wrappers of tool calls, in the styles of several vendors. */
import { Schema } from "effect"
import { type Case, gives, rejects } from "../malformed/case.ts"
import { Flight, Glossary, Invoice, Opinion, Person, Review, Ticket } from "./schemas.ts"

const ada = { name: "Ada", age: 36, city: "London" }
const trip = { from: "VIE", to: "LHR", passengers: 2 }
const Choice = Schema.Struct({ name: Schema.Literals(["search", "book"]), arguments: Glossary })

export const toolCalls: ReadonlyArray<Case> = [
  gives(
    "a call with its arguments as an object",
    Flight,
    `{"name": "search_flights", "arguments": {"from": "VIE", "to": "LHR", "passengers": 2}}`,
    trip
  ),
  gives(
    "a call with its arguments as a text",
    Flight,
    String.raw`{"name": "search_flights", "arguments": "{\"from\": \"VIE\", \"to\": \"LHR\", \"passengers\": 2}"}`,
    trip
  ),
  gives(
    "a Hermes call in a tag",
    Flight,
    `<tool_call>\n{"name": "search_flights", "arguments": {"from": "VIE", "to": "LHR", "passengers": 2}}\n</tool_call>`,
    trip
  ),
  gives(
    "a Qwen call in a tag that is not closed",
    Flight,
    `<tool_call>\n{"name": "search_flights", "arguments": {"from": "VIE", "to": "LHR", "passengers": 2}}`,
    trip
  ),
  gives(
    "a Llama call with parameters",
    Flight,
    `<|python_tag|>{"type": "function", "name": "search_flights", "parameters": {"from": "VIE", "to": "LHR", "passengers": 2}}`,
    trip
  ),
  gives(
    "a Llama call in a function tag",
    Flight,
    `<function=search_flights>{"from": "VIE", "to": "LHR", "passengers": 2}</function>`,
    trip
  ),
  gives(
    "a Mistral call in a list",
    Flight,
    `[TOOL_CALLS][{"name": "search_flights", "arguments": {"from": "VIE", "to": "LHR", "passengers": 2}}]`,
    trip
  ),
  gives(
    "OpenAI's message with tool calls",
    Flight,
    String.raw`{"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "search_flights", "arguments": "{\"from\":\"VIE\",\"to\":\"LHR\",\"passengers\":2}"}}]}`,
    trip
  ),
  gives(
    "Anthropic's block with its input",
    Flight,
    `{"type": "tool_use", "id": "toolu_01", "name": "search_flights", "input": {"from": "VIE", "to": "LHR", "passengers": 2}}`,
    trip
  ),
  gives(
    "a function call tag of the older kind",
    Opinion,
    `<function_call>{"name": "answer", "arguments": {"sentiment": "neutral", "confidence": 0.5}}</function_call>`,
    {
      sentiment: "neutral",
      confidence: 0.5
    }
  ),
  gives(
    "a call as a line of Python in a fence",
    Flight,
    '```tool_code\nsearch_flights(from="VIE", to="LHR", passengers=2)\n```',
    trip
  ),
  gives(
    "an invocation with parameters in tags",
    Person,
    `<invoke name="save_person">\n<parameter name="name">Ada</parameter>\n<parameter name="age">36</parameter>\n<parameter name="city">London</parameter>\n</invoke>`,
    ada
  ),
  gives(
    "the schema's outside around the values",
    Person,
    `{"type": "object", "properties": {"name": "Ada", "age": 36, "city": "London"}}`,
    ada
  ),
  gives(
    "the schema's outside with its list of required keys",
    Ticket,
    `{"type": "object", "properties": {"title": "Crash", "priority": "high", "tags": ["ios"]}, "required": ["title", "priority", "tags"]}`,
    { title: "Crash", priority: "high", tags: ["ios"] }
  ),
  gives("the schema's name as the only key", Person, `{"Person": {"name": "Ada", "age": 36, "city": "London"}}`, ada),
  gives(
    "words before the call",
    Review,
    `I'll submit the review now.\n\n{"name": "submit_review", "arguments": {"verdict": "approve", "findings": []}}`,
    {
      verdict: "approve",
      findings: []
    }
  ),
  gives(
    "the same call twice",
    Flight,
    `<tool_call>{"name": "search_flights", "arguments": {"from": "VIE", "to": "LHR", "passengers": 2}}</tool_call>\n<tool_call>{"name": "search_flights", "arguments": {"from": "VIE", "to": "LHR", "passengers": 2}}</tool_call>`,
    trip
  ),
  gives(
    "a call that is itself what was asked for",
    Choice,
    `{"name": "search", "arguments": {"query": "hotels in Graz"}}`,
    {
      name: "search",
      arguments: { query: "hotels in Graz" }
    }
  ),
  gives(
    "a DeepSeek call between its own marks",
    Flight,
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search_flights\n```json\n{"from": "VIE", "to": "LHR", "passengers": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    trip
  ),
  rejects(
    "two calls with different arguments",
    Flight,
    `<tool_call>{"name": "search_flights", "arguments": {"from": "VIE", "to": "LHR", "passengers": 2}}</tool_call>\n<tool_call>{"name": "search_flights", "arguments": {"from": "VIE", "to": "LGW", "passengers": 2}}</tool_call>`
  ),
  rejects(
    "a call without the required argument",
    Flight,
    `{"name": "search_flights", "arguments": {"from": "VIE", "passengers": 2}}`
  ),
  rejects(
    "a call that looks something up first",
    Person,
    `{"name": "read_page", "arguments": {"url": "https://example.com/people/7"}}`
  ),
  rejects(
    "the result of a tool that failed",
    Invoice,
    `{"type": "tool_result", "tool_use_id": "toolu_01", "is_error": true, "content": "no such file: invoice.pdf"}`
  ),
  rejects(
    "arguments as a text that is cut off",
    Flight,
    String.raw`{"name": "search_flights", "arguments": "{\"from\": \"VIE\", \"to\": \"LH"}`
  ),
  rejects(
    "a definition of the tool instead of a call",
    Person,
    `{"name": "save_person", "description": "Saves a person", "parameters": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}}`
  ),
  rejects(
    "the name of a tool for a text",
    Schema.Struct({ answer: Schema.String }),
    `<tool_call>{"name": "web_search", "arguments": {"query": "capital of Peru"}}</tool_call>`
  )
]
