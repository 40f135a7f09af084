/** The page of a report. */
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { escapeInvisible } from "../text/invisible.ts"
import { page } from "./page.ts"
import type { RunReport } from "./model.ts"

/**
 * A report as one page of HTML that needs no server, no network and no other file.
 *
 * **Details**
 *
 * The page has the times and costs of steps and calls, what each call was sent, the answers, the steps that ran, where each note
 * came from, forks and repetitions side by side, and the notes with a search. It contains all texts of the report: whoever has
 * the file can read them.
 *
 * Texts of notes are data in the page and never markup or code. A content security policy allows only the page's own script, by
 * its hash, and no connection to anywhere.
 *
 * Throws if the argument is no report of the format that this version makes.
 *
 * @category reports
 */
export const html = taking("Report.html", { args: [kinds.report] })((report: RunReport): string => page(toJson(report)))

/** JSON in which nothing ends the element around it, and no invisible character stands as it is. */
const toJson = (report: RunReport): string => escapeInvisible(JSON.stringify(report)).replaceAll("<", "\\u003c")
