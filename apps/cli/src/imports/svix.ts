import { answerOf, memberOf, nothing, rateOf, textOf, textsOf, valuesOf } from "./objects.ts";
import type { Answer, Imported, ImportedEndpoint } from "./objects.ts";
import { forEach, pages } from "./peer.ts";
import type { Peer } from "./peer.ts";

/** Reads the applications, endpoints and event types of an environment of Svix, or of a server that speaks its API. */
export async function readSvix(peer: Peer): Promise<Imported> {
  const found = nothing();
  for (const one of await listAt(peer, "/api/v1/event-type?with_content=true")) {
    const name = textOf(one["name"]);
    if (name === undefined || one["archived"] === true) continue;
    const schemas = Object.entries(answerOf(one["schemas"])).toSorted(([a], [b]) => Number(b) - Number(a));
    found.event_types.push({
      name,
      description: textOf(one["description"]) ?? "",
      schema: schemas[0] === undefined ? null : answerOf(schemas[0][1]),
      deprecated: one["deprecated"] === true,
    });
  }
  const applications = await listAt(peer, "/api/v1/app");
  for (const one of applications)
    found.applications.push({
      ref: memberOf(one, "id"),
      uid: textOf(one["uid"]) ?? null,
      name: textOf(one["name"]) ?? memberOf(one, "id"),
      metadata: valuesOf(one["metadata"]),
      rate_limit_per_second: rateOf(one["throttleRate"] ?? one["rateLimit"]),
    });
  await forEach(applications, async (one) => {
    const application = memberOf(one, "id");
    const path = `/api/v1/app/${encodeURIComponent(application)}/endpoint`;
    for (const endpoint of await listAt(peer, path)) await readEndpoint(peer, { found, application, path, endpoint });
  });
  return found;
}

interface Reading {
  readonly found: Imported;
  readonly application: string;
  readonly path: string;
  readonly endpoint: Answer;
}

async function readEndpoint(peer: Peer, { found, application, path, endpoint }: Reading): Promise<void> {
  const ref = memberOf(endpoint, "id");
  const at = `${path}/${encodeURIComponent(ref)}`;
  const [secret, headers, transformation] = await Promise.all([
    peer.find(`${at}/secret`),
    peer.find(`${at}/headers`),
    peer.find(`${at}/transformation`),
  ]);
  const key = textOf(secret?.["key"]);
  const sensitive = textsOf(headers?.["sensitive"]);
  const reasons = [
    ...secretNotes(key),
    ...sensitive.map((name) => `The value of its header ${name} cannot be read. Set it again.`),
    ...(transformation?.["enabled"] === true ? ["Its transformation does not come along. Write it again."] : []),
  ];
  found.notes.push(...reasons.map((reason) => ({ kind: "endpoint" as const, name: ref, reason })));
  found.endpoints.push({
    ref,
    application,
    ...settingsOf(endpoint),
    headers: valuesOf(headers?.["headers"]),
    ...(key?.startsWith("whsec_") === true ? { secret: key } : {}),
    wire: "svix",
  });
}

function secretNotes(key: string | undefined): string[] {
  if (key === undefined)
    return ["Its signing secret cannot be read. It gets a new one, which its receiver has to know."];
  return key.startsWith("whsec_")
    ? []
    : ["It signs with a key pair. It gets a secret, which its receiver has to know."];
}

function settingsOf(endpoint: Answer): Omit<ImportedEndpoint, "ref" | "application"> {
  const events = textsOf(endpoint["eventTypes"] ?? endpoint["filterTypes"]);
  return {
    url: memberOf(endpoint, "url"),
    events: events.length === 0 ? ["*"] : events,
    description: textOf(endpoint["description"]) ?? "",
    active: endpoint["disabled"] !== true,
    channels: textsOf(endpoint["channels"]),
    metadata: valuesOf(endpoint["metadata"]),
    uid: textOf(endpoint["uid"]) ?? null,
    rate_limit_per_second: rateOf(endpoint["throttleRate"] ?? endpoint["rateLimit"]),
  };
}

async function listAt(peer: Peer, path: string): Promise<Answer[]> {
  const join = path.includes("?") ? "&" : "?";
  return await pages(
    peer,
    (iterator) => `${path}${join}limit=100${iterator === undefined ? "" : `&iterator=${encodeURIComponent(iterator)}`}`,
    ({ data, iterator, done }) => ({ list: data, next: done === false ? textOf(iterator) : undefined }),
  );
}
