import type { IdPrefix } from "../lib/lib.ts";
import { uuidOf } from "./keys.ts";
import type { Parsed, TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Made = Args | { readonly args: Args; readonly key: string };
type Make = (service: TestService) => Promise<Made> | Made;

/** The rows of testing/calls.ts for usage, the event stream, the request log and bulk replays. */
export function insightCalls(
  absent: (service: TestService, prefix: IdPrefix) => Promise<Args>,
  newWorkspace: (service: TestService) => Promise<string>,
): Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> {
  // A new workspace has no other activity, so that two responses are equal.
  const calm =
    (args: Args): Make =>
    async (service) => ({ args, key: await newWorkspace(service) });
  return {
    "replays.create": {
      good: () => ({ filter: { state: "delivered", status_class: "2xx" } }),
      bad: () => ({ filter: { state: "lost" } }),
    },
    "replays.list": { good: calm({ limit: 1 }), bad: () => ({ limit: 0 }) },
    "replays.get": { good: freshReplay, bad: async (service) => await absent(service, "job") },
    "replays.cancel": { good: runningReplay, bad: async (service) => await absent(service, "job") },
    "stream.open": { good: () => ({ kinds: "delivery", max_seconds: 0 }), bad: () => ({ kinds: "gossip" }) },
    "search.list": { good: calm({ q: "order" }), bad: () => ({ q: "x" }) },
    "attention.get": { good: calm({}), bad: () => ({ x: "1" }) },
    "mails.preferences.get": { good: calm({}), bad: () => ({ x: "1" }) },
    "mails.preferences.update": { good: calm({ approvals: true }), bad: () => ({ approvals: "no" }) },
    "mails.list": { good: () => ({ state: "sent", limit: 1 }), bad: () => ({ state: "lost" }) },
    "notifications.list": { good: () => ({ unread: true }), bad: () => ({ unread: "maybe" }) },
    "notifications.read": {
      good: async (service) => ({ ids: [(await absent(service, "ntf"))["id"]] }),
      bad: () => ({ ids: [] }),
    },
    "installation.get": { good: () => ({}), bad: () => ({ x: "1" }) },
    "usage.get": { good: () => ({ from: "2026-01-01", to: "2026-01-02" }), bad: () => ({ from: "yesterday" }) },
    "usage.series": { good: calm({ hours: 2 }), bad: () => ({ hours: 0 }) },
    "usage.events": { good: calm({ hours: 2 }), bad: () => ({ hours: 721 }) },
    "requests.list": { good: () => ({ operation: "no.such", limit: 1 }), bad: () => ({ status_class: "6xx" }) },
    "requests.get": { good: loggedRequest, bad: async (service) => await absent(service, "req") },
  };
}

/** Creates a replay without matching deliveries. */
async function freshReplay(service: TestService): Promise<Args> {
  const { id } = (await service.api("POST", "/v1/replays", { filter: { event: "test.nothing" } })).body;
  await service.until(`/v1/replays/${String(id)}`, ({ state }) => state === "finished");
  return { id };
}

/** Creates such a replay in its state before it has finished, as if another node were at work on it. */
async function runningReplay(service: TestService): Promise<Args> {
  const { id } = await freshReplay(service);
  const leased = "update replay_job set finished_at = null, due_at = now() + interval '1 hour' where id = $1";
  await service.database.query(leased, [uuidOf(String(id))]);
  return { id };
}

async function loggedRequest(service: TestService): Promise<Args> {
  const made = await service.api("GET", "/v1/me");
  const id = made.headers.get("x-service-request-id");
  await service.until("/v1/requests?operation=me.get", ({ data }) => data.some((one: Parsed) => one.id === id));
  return { id };
}
