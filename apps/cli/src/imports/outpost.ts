import { answerOf, listOf, nothing, textOf, textsOf, valuesOf } from "./objects.ts";
import type { Answer, Imported } from "./objects.ts";
import { forEach } from "./peer.ts";
import type { Peer } from "./peer.ts";

/** Reads the tenants and the webhook destinations of Outpost. The address ends with `/api/v1`, or with the version of the managed API. */
export async function readOutpost(peer: Peer): Promise<Imported> {
  const found = nothing();
  const tenants = await tenantsOf(peer);
  for (const tenant of tenants) {
    const id = String(tenant["id"]);
    found.applications.push({ ref: `outpost:${id}`, uid: id, name: id, metadata: valuesOf(tenant["metadata"]) });
  }
  await forEach(tenants, async (tenant) => {
    const id = String(tenant["id"]);
    const destinations = await peer.get(`/tenants/${encodeURIComponent(id)}/destinations`);
    for (const one of listOf(destinations)) addDestination(found, id, one);
  });
  const topics = new Set(found.endpoints.flatMap(({ events }) => events).filter((name) => name !== "*"));
  found.event_types.push(...[...topics].map((name) => ({ name })));
  return found;
}

function addDestination(found: Imported, tenant: string, destination: Answer): void {
  const ref = String(destination["id"]);
  const note = (reason: string): void => void found.notes.push({ kind: "endpoint", name: ref, reason });
  if (destination["type"] !== "webhook") {
    note(`Destinations of the kind ${String(destination["type"])} do not come along.`);
    return;
  }
  const { url, custom_headers: headers } = answerOf(destination["config"]);
  const secret = textOf(answerOf(destination["credentials"])["secret"]);
  if (secret === undefined)
    note("Its signing secret cannot be read. It gets a new one, which its receiver has to know.");
  if (Object.keys(answerOf(destination["filter"])).length > 0) note("Its filter does not come along. Write it again.");
  note("Its receiver has to verify `webhook-signature`, unless Outpost signs in the mode `standard`.");
  const { topics } = destination;
  found.endpoints.push({
    ref,
    application: `outpost:${tenant}`,
    url: String(url),
    events: Array.isArray(topics) && !topics.includes("*") ? textsOf(topics) : ["*"],
    active: textOf(destination["disabled_at"]) === undefined,
    metadata: valuesOf(destination["metadata"]),
    headers: headersIn(headers),
    ...(secret === undefined ? {} : { secret }),
    wire: "svix",
  });
}

/** The headers are the JSON text of an object. */
function headersIn(text: unknown): Record<string, string> {
  try {
    return valuesOf(typeof text === "string" && text !== "" ? (JSON.parse(text) as unknown) : text);
  } catch {
    return {};
  }
}

async function tenantsOf(peer: Peer): Promise<Answer[]> {
  const all: Answer[] = [];
  for (let next: string | undefined; ;) {
    const page = answerOf(
      await peer.get(`/tenants?limit=100${next === undefined ? "" : `&next=${encodeURIComponent(next)}`}`),
    );
    all.push(...listOf(page["models"]));
    next = textOf(answerOf(page["pagination"])["next"]);
    if (next === undefined) return all;
  }
}
