/** Draws the report that the page holds as JSON. */
import { render } from "preact"
import type { RunReport } from "../../src/report/model.ts"
import { App } from "./App.tsx"

const [data, app] = [document.getElementById("data"), document.getElementById("app")]
if (data !== null && app !== null) {
  // the page was written by Report.html, with the report as its data
  const report = JSON.parse(data.textContent) as RunReport
  render(<App report={report} />, app)
}
