import { call, currentScope, setScope } from "../api/api.ts";

/** A kind of object with its names, and functions that delete each object of a demo. */
export interface DemoPart {
  readonly one: string;
  readonly many: string;
  readonly removals: readonly (() => Promise<unknown>)[];
}

/** Demo data uses these names for its objects (decision 0128). */
const PREFIX = "demo-";
const CONTRACT_PREFIX = "demo.";
const TITLE = "Demo: ";
const MAIL_DOMAIN = "@demo.junction.example";

/** Returns true for an inbox of a demo. Inboxes are deleted last. */
export function isDemoInbox({ name }: { readonly name: string }): boolean {
  return name.startsWith(PREFIX);
}

/** Switches to the sandbox when it has demo data. Returns whether it has: false, too, when that cannot be read. */
export async function enterDemo(): Promise<boolean> {
  const { environment } = currentScope();
  setScope({ environment: "sandbox" });
  const found = await inboxes().catch(() => []);
  if (found.length === 0) setScope({ environment });
  return found.length > 0;
}

/** Returns all existing objects of a demo, in the order of their deletion. It only reads; `removals` write. */
export async function findDemo(): Promise<readonly DemoPart[]> {
  return [
    // Endpoints are deleted before their inboxes, so that pending deliveries are canceled instead of attempted in vain.
    partOf("endpoint", "endpoints", await titled("webhook_endpoints.list", "description"), async (id) =>
      call("webhook_endpoints.delete", { path: { id } }),
    ),
    partOf("event type", "event types", await types(), async (name) => call("event_types.archive", { path: { name } })),
    partOf("rule", "rules", await titled("rules.list", "name"), async (id) => call("rules.delete", { path: { id } })),
    partOf("source", "sources", await titled("inbound_endpoints.list", "name"), async (id) =>
      call("inbound_endpoints.delete", { path: { id } }),
    ),
    partOf("contact", "contacts", await contacts(), async (id) => call("contacts.delete", { path: { id } })),
    partOf("pending proposal", "pending proposals", await proposals(), async (id) =>
      call("proposals.cancel", { path: { id } }),
    ),
    partOf("action", "actions", await contracts(), async (key) => call("action_contracts.delete", { path: { key } })),
    partOf("inbox", "inboxes", await inboxes(), async (name) => call("inboxes.delete", { path: { name } })),
  ];
}

function partOf(
  one: string,
  many: string,
  found: readonly string[],
  remove: (id: string) => Promise<unknown>,
): DemoPart {
  return { one, many, removals: found.map((id) => async () => await remove(id)) };
}

type TitledList = "webhook_endpoints.list" | "rules.list" | "inbound_endpoints.list";

interface TitledRow {
  readonly id: string;
  readonly description?: string | null;
  readonly name?: string | null;
  readonly environment?: string;
}

/** Returns false for a live rule or action in the sandbox, which shows it because it acts there too. */
function isOwn({ environment }: { readonly environment?: string }): boolean {
  return environment === undefined || environment === currentScope().environment;
}

async function titled(name: TitledList, member: "description" | "name"): Promise<string[]> {
  const rows = await all<TitledRow>(async (page) => await call(name, page));
  return rows.filter((row) => isOwn(row) && (row[member]?.startsWith(TITLE) ?? false)).map(({ id }) => id);
}

/** Both environments share event types, and only the live one changes them. */
async function types(): Promise<string[]> {
  if (currentScope().environment !== "live") return [];
  const rows = await all(async (page) => await call("event_types.list", page));
  return rows
    .filter(({ origin, title }) => origin === "custom" && (title?.startsWith(TITLE) ?? false))
    .map(({ name }) => name);
}

async function contacts(): Promise<string[]> {
  const rows = await all(async (page) => await call("contacts.list", page));
  return rows.filter(({ email }) => email?.endsWith(MAIL_DOMAIN) ?? false).map(({ id }) => id);
}

async function proposals(): Promise<string[]> {
  const rows = await all(async ({ query }) => await call("proposals.list", { query: { ...query, state: "proposed" } }));
  return rows.filter(({ action }) => action.startsWith(CONTRACT_PREFIX)).map(({ id }) => id);
}

async function contracts(): Promise<string[]> {
  const rows = await all(async (page) => await call("action_contracts.list", page));
  return rows.filter((row) => isOwn(row) && row.key.startsWith(CONTRACT_PREFIX)).map(({ key }) => key);
}

async function inboxes(): Promise<string[]> {
  const rows = await all(async (page) => await call("inboxes.list", page));
  return rows.filter(isDemoInbox).map(({ name }) => name);
}

interface Page {
  readonly query: { readonly limit: number; readonly cursor?: string };
}

interface Listed<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

const LIMIT = 100;

async function all<Row>(read: (page: Page) => Promise<Listed<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Listed<Row> = await read({ query: cursor === "" ? { limit: LIMIT } : { limit: LIMIT, cursor } });
    rows.push(...page.data);
    cursor = page.next_cursor;
  }
  return rows;
}
