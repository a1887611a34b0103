import type { SearchHit, Sought } from "../../insights/insights.ts";
import { sql } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";

/** The newest events that are searched by subject, which has no index. */
const MOST_EVENTS = 5000;

interface Row {
  readonly id: Uuid;
  readonly name: string;
  readonly subject: string;
}

/** Finds the newest events by their subjects. A tenant finds only its own. */
export async function findEventsBySubject({ query }: Db, scope: Scope, sought: Sought): Promise<SearchHit[]> {
  const tenant = scope.tenant ?? null;
  const { rows } = await sql<Row>`select id, name, subject from (
      select id, name, subject from event where bucket = ${scope.bucket} and tag = ${scope.tag}
        and (${tenant}::text is null or (tenant = ${tenant} and not internal))
      order by id desc limit ${MOST_EVENTS}) e
    where subject ~* ${sought.pattern} order by id desc limit ${sought.limit}`.execute(query);
  return rows.map(({ id, name, subject }) => ({ id: wireId("evt", scope.tag, id), title: name, detail: subject }));
}
