import type { Db, Query } from "../platform/db/db.ts";
import { toRfc3339, wireId } from "../lib/lib.ts";
import type { Clock, Uuid } from "../lib/lib.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import { findLiving } from "./claim.ts";
import { mergedInto } from "./contact.store.ts";
import { partsOf } from "./parts.ts";
import { listTickets } from "./ticket.store.ts";
import { allActivities } from "./timeline.ts";
import { contactView, ticketView } from "./contact-views.ts";
import type { TicketView } from "./contact-views.ts";
import type { PersonalData } from "./ports.ts";

export type Exporting = ReturnType<typeof createExporting>;

export interface ExportingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly personalData: () => readonly PersonalData[];
}

const PAGE = 500;

export function createExporting(deps: ExportingDeps) {
  const { db, clock, personalData } = deps;
  return {
    /** Returns all data about a person as the text of one JSON object, in chunks. Throws 404 before the first chunk. */
    async export(scope: Scope, id: string): Promise<AsyncGenerator<string>> {
      const row = await findLiving(db.query, scope, ownUuid(scope, "con", id));
      const merged = await mergedInto(db.query, scope, row.id);
      const contactIds = [row.id, ...merged] as const;
      const contact = contactView(scope, row, await partsOf(db.query, scope, [row.id]));
      const head = {
        object: "contact_export",
        exported_at: toRfc3339(clock.now()),
        contact,
        merged_ids: merged.map((one) => wireId("con", scope.tag, one)),
      };
      return pieces(head, [
        ["tickets", allTickets(db.query, scope, row.id)],
        ["activities", allActivities(db.query, scope, contactIds)],
        ...personalData().map((holder) => [holder.name, holder.read(scope, contactIds)] as const),
      ]);
    },
  };
}

async function* pieces(
  head: object,
  lists: readonly (readonly [string, AsyncIterable<object>])[],
): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, rows] of lists) {
    yield `,${JSON.stringify(name)}:[`;
    let separator = "";
    for await (const row of rows) {
      yield separator + JSON.stringify(row);
      separator = ",";
    }
    yield "]";
  }
  yield "}";
}

async function* allTickets(query: Query, scope: Scope, customerId: Uuid): AsyncGenerator<TicketView> {
  let before: Uuid | undefined;
  do {
    const rows = await listTickets(query, scope, { customer_id: customerId, before }, PAGE);
    for (const row of rows) yield ticketView(scope, row);
    before = rows.length < PAGE ? undefined : rows.at(-1)?.id;
  } while (before !== undefined);
}
