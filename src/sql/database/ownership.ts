/** Who owns what a user makes in the schema of the memory. */
import { sql } from "kysely"

/**
 * Gives what this user has made in the schema to the owner of the schema.
 *
 * An administrator may bring the memory of another user up to date, or embed in it. Its own user would be refused afterwards,
 * as it could not use what the administrator had made.
 */
export const handOver = sql`do $$ declare home name; made text; begin
    select pg_get_userbyid(nspowner) into home from pg_namespace where nspname = 'cogito' and nspowner <> current_user::regrole;
    if home is null then return; end if;
    for made in
      select format('table %s', oid::regclass) from pg_class
        where relnamespace = 'cogito'::regnamespace and relkind in ('r', 'p') and relowner = current_user::regrole
      union all
      select format('routine %s', oid::regprocedure) from pg_proc
        where pronamespace = 'cogito'::regnamespace and proowner = current_user::regrole
    loop execute format('alter %s owner to %I', made, home); end loop;
  end $$`
