import { answerOf, memberOf, nothing, textOf, textsOf, valuesOf, wholeListOf } from "./objects.ts";
import type { Answer, Imported } from "./objects.ts";
import { forEach, pages } from "./peer.ts";
import type { Peer } from "./peer.ts";

/** Reads the tenants and the webhook destinations of Outpost. The address ends with `/api/v1`, or with the version of the managed API. */
export async function readOutpost(peer: Peer): Promise<Imported> {
  const found = nothing();
  const tenants = await tenantsOf(peer);
  for (const tenant of tenants) {
    const id = memberOf(tenant, "id");
    found.applications.push({ ref: `outpost:${id}`, uid: id, name: id, metadata: valuesOf(tenant["metadata"]) });
  }
  await forEach(tenants, async (tenant) => {
    const id = memberOf(tenant, "id");
    const path = `/tenants/${encodeURIComponent(id)}/destinations`;
    for (const one of wholeListOf(await peer.get(path), path)) addDestination(found, id, one);
  });
  const topics = new Set(found.endpoints.flatMap(({ events }) => events).filter((name) => name !== "*"));
  found.event_types.push(...[...topics].map((name) => ({ name })));
  return found;
}

function addDestination(found: Imported, tenant: string, destination: Answer): void {
  const ref = memberOf(destination, "id");
  const note = (reason: string): void => void found.notes.push({ kind: "endpoint", name: ref, reason });
  if (destination["type"] !== "webhook") {
    note(`Destinations of the kind ${String(destination["type"])} do not come along.`);
    return;
  }
  const config = answerOf(destination["config"]);
  const headers = headersIn(config["custom_headers"]);
  const secret = textOf(answerOf(destination["credentials"])["secret"]);
  if (secret === undefined)
    note("Its signing secret cannot be read. It gets a new one, which its receiver has to know.");
  if (headers === undefined) note("Its own headers cannot be read. Set them again.");
  if (Object.keys(answerOf(destination["filter"])).length > 0) note("Its filter does not come along. Write it again.");
  note("Its receiver has to verify `webhook-signature`, unless Outpost signs in the mode `standard`.");
  const { topics } = destination;
  found.endpoints.push({
    ref,
    application: `outpost:${tenant}`,
    url: memberOf(config, "url"),
    events: Array.isArray(topics) && !topics.includes("*") ? textsOf(topics) : ["*"],
    active: textOf(destination["disabled_at"]) === undefined,
    metadata: valuesOf(destination["metadata"]),
    headers: headers ?? {},
    ...(secret === undefined ? {} : { secret }),
    wire: "svix",
  });
}

/** The headers are the JSON text of an object. Returns undefined for another text. */
function headersIn(text: unknown): Record<string, string> | undefined {
  try {
    return valuesOf(typeof text === "string" && text !== "" ? (JSON.parse(text) as unknown) : text);
  } catch {
    return undefined;
  }
}

async function tenantsOf(peer: Peer): Promise<Answer[]> {
  return await pages(
    peer,
    (next) => `/tenants?limit=100${next === undefined ? "" : `&next=${encodeURIComponent(next)}`}`,
    ({ models, pagination }) => ({ list: models, next: textOf(answerOf(pagination)["next"]) }),
  );
}
