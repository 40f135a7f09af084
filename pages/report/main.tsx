import { render } from "preact"
import type { RunReport } from "../../src/report/model.ts"

const data = document.getElementById("data")?.textContent ?? "{}"
const report = JSON.parse(data) as RunReport
render(<pre>{report.thoughts[0]?.intent}</pre>, document.getElementById("app")!)
