/** Users of a server that may no more than they must. */
import { randomUUID } from "node:crypto"
import { Client } from "pg"

/** What an administrator has a user's database be: without rights, or with those that docs/memory.md says. */
export const ordinary = async (url: string, rights: "none" | "documented" = "documented"): Promise<string> => {
  const name = `app_${randomUUID().replaceAll("-", "")}`
  const admin = new Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create role ${name} login`)
  if (rights === "documented") {
    await admin.query("create extension vector")
    await admin.query(
      `do $$ begin execute format('grant create on database %I to ${name}', current_database()); end $$`
    )
    await admin.query(
      `do $$ begin create role cogito_tenant nologin; exception when duplicate_object then null; end $$`
    )
    await admin.query(`grant cogito_tenant to ${name}`)
  }
  await admin.end()
  const own = new URL(url)
  own.username = name
  return own.href
}
