import { answerOf, listOf, memberOf, nothing, rateOf, textOf, textsOf } from "./objects.ts";
import type { Answer, Imported } from "./objects.ts";
import { pages } from "./peer.ts";
import type { Peer } from "./peer.ts";

/** Reads the endpoints, subscriptions and event types of a project of Convoy. The address ends with `/projects/<id>`. */
export async function readConvoy(peer: Peer): Promise<Imported> {
  const found = nothing();
  for (const one of listOf(dataOf(await peer.find("/event-types")))) {
    const name = textOf(one["name"]);
    if (name === undefined || name === "*" || textOf(one["deprecated_at"]) !== undefined) continue;
    found.event_types.push({ name, description: textOf(one["description"]) ?? "" });
  }
  const subscriptions = await subscriptionsOf(peer);
  for (const endpoint of await listAt(peer, "/endpoints"))
    addEndpoint(found, endpoint, subscriptions.get(memberOf(endpoint, "uid")) ?? []);
  return found;
}

/** Returns the subscriptions of each endpoint. */
async function subscriptionsOf(peer: Peer): Promise<ReadonlyMap<string, Answer[]>> {
  const all = new Map<string, Answer[]>();
  for (const one of await listAt(peer, "/subscriptions")) {
    const id = String(answerOf(one["endpoint_metadata"])["uid"] ?? one["endpoint_id"]);
    all.set(id, [...(all.get(id) ?? []), one]);
  }
  return all;
}

const NO_SECRET = "Its signing secret cannot be read. It gets a new one, which its receiver has to know.";

function addEndpoint(found: Imported, endpoint: Answer, subscriptions: readonly Answer[]): void {
  const ref = memberOf(endpoint, "uid");
  const filters = subscriptions.map((one) => answerOf(one["filter_config"]));
  const events = [...new Set(filters.flatMap((filter) => textsOf(filter["event_types"])))];
  const owner = textOf(endpoint["owner_id"]);
  const secret = currentSecret(listOf(endpoint["secrets"]));
  const reasons = [
    subscriptions.length === 0 && "It has no subscription. It is imported as disabled.",
    owner === undefined && "It has no owner. Its own id becomes its tenant.",
    filters.some(({ filter }) => hasFilter(filter)) && "The filters of its subscriptions do not come along.",
    secret === undefined && NO_SECRET,
    "Its receiver has to verify `webhook-signature` in place of `X-Convoy-Signature`.",
  ].filter((reason) => reason !== false);
  found.notes.push(...reasons.map((reason) => ({ kind: "endpoint" as const, name: ref, reason })));
  found.endpoints.push({
    ref,
    tenant: owner ?? ref,
    url: memberOf(endpoint, "url", "target_url"),
    events: eventsOf(events),
    description: descriptionOf(endpoint),
    active: subscriptions.length > 0 && isActive(endpoint),
    rate_limit_per_second: perSecond(endpoint),
    headers: headersOf(answerOf(endpoint["authentication"])),
    ...(secret === undefined ? {} : { secret }),
    wire: "svix",
  });
}

function eventsOf(events: readonly string[]): readonly string[] {
  return events.length === 0 || events.includes("*") ? ["*"] : events;
}

function currentSecret(secrets: readonly Answer[]): string | undefined {
  return textOf(secrets.findLast(({ expires_at: end, deleted_at: gone }) => end == null && gone == null)?.["value"]);
}

function hasFilter(filter: unknown): boolean {
  return Object.values(answerOf(filter)).some((one) => Object.keys(answerOf(one)).length > 0);
}

function headersOf({ type, api_key: key }: Answer): Record<string, string> {
  const { header_name: name, header_value: value } = answerOf(key);
  return type === "api_key" && typeof name === "string" && typeof value === "string" ? { [name]: value } : {};
}

function descriptionOf({ description, name, title }: Answer): string {
  return textOf(description) ?? textOf(name) ?? textOf(title) ?? "";
}

function isActive({ status }: Answer): boolean {
  return status === undefined || status === "active";
}

function perSecond({ rate_limit: rate, rate_limit_duration: duration }: Answer): number | null {
  return typeof rate === "number" ? rateOf(rate / secondsOf(duration)) : null;
}

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** A duration is given in seconds, or as a text such as `1m0s`. */
function secondsOf(duration: unknown): number {
  if (typeof duration === "number") return Math.max(1, duration);
  if (typeof duration !== "string") return 1;
  const parts = duration.slice(0, 20).split(/(?<=[hms])/);
  const seconds = parts.map((part) => Number.parseInt(part, 10) * (UNITS[part.at(-1) ?? ""] ?? 0));
  return Math.max(
    1,
    seconds.reduce((sum, one) => sum + (Number.isNaN(one) ? 0 : one), 0),
  );
}

function dataOf(answer: Answer | undefined): unknown {
  const data = answer?.["data"];
  return Array.isArray(data) ? data : (answerOf(data)["content"] ?? data);
}

async function listAt(peer: Peer, path: string): Promise<Answer[]> {
  return await pages(
    peer,
    (cursor) =>
      `${path}?perPage=100${cursor === undefined ? "" : `&direction=next&next_page_cursor=${encodeURIComponent(cursor)}`}`,
    ({ data }) => {
      const { content, pagination } = answerOf(data);
      const { has_next_page: isMore, next_page_cursor: next } = answerOf(pagination);
      return { list: content, next: isMore === true ? textOf(next) : undefined };
    },
  );
}
