import { macHex, macStandard, unsigned } from "../../../apps/service/src/testing/signature.ts";
import type { EndpointTimes } from "../endpoint-times.ts";
import { heldMs } from "../excuses.ts";
import type { Facts, WebhookHit } from "../facts.ts";
import { pathsOf } from "./never-after.ts";
import { seconds, SLACK_MS } from "./predicate.ts";
import type { Predicate } from "./predicate.ts";

/** A secret of an endpoint, and when it was certainly no longer valid by its own, and next to a newer one. */
interface Secret {
  readonly text: string;
  readonly fromMs: number;
  readonly newestUntilMs: number;
  readonly validUntilMs: number;
}

export const signatures: Predicate = {
  name: "signatures",
  promise: "Every request is signed with the newest secret of its time, and with no secret that was no longer valid",
  broken(facts, endpoints) {
    const byPath = pathsOf(endpoints);
    const secrets = new Map(endpoints.map((one) => [one.id, secretsOf(facts, one)]));
    return facts.hits.flatMap((hit) => {
      const endpoint = byPath.get(hit.path);
      const known = endpoint === undefined ? undefined : secrets.get(endpoint.id);
      return known === undefined ? [] : faultsOfHit(facts, hit, known);
    });
  },
};

/** Undefined if a secret is unknown, because the answer to its rotation was lost. */
function secretsOf(facts: Facts, { id, created }: EndpointTimes): Secret[] | undefined {
  const rotations = facts.of("rotate").filter((one) => one.operation.endpoint === id && one.outcome !== "refused");
  if (rotations.some(({ outcome }) => outcome === "unknown")) return undefined;
  const made = [created, ...rotations];
  return made.map(({ body, startMs }, at) => {
    const next = rotations[at];
    const newestUntilMs = next?.endMs ?? Infinity;
    return {
      text: String(body["secret"]),
      fromMs: startMs,
      newestUntilMs,
      // A further rotation ends the overlap of the one before.
      validUntilMs: Math.min(newestUntilMs + (next?.operation.overlapMs ?? 0), rotations[at + 1]?.endMs ?? Infinity),
    };
  });
}

function faultsOfHit({ faults }: Facts, hit: WebhookHit, secrets: readonly Secret[]): string[] {
  const what = `delivery ${hit.delivery} at ${seconds(hit.startMs)}`;
  const newest = secrets.filter(({ text }) => isSigned(hit, text));
  if (newest.length === 0) return [`${what} has a wrong signature`];
  const graceMs = SLACK_MS + heldMs(faults, hit.begunMs - MOST_HELD_MS, hit.startMs);
  const isInTime = (untilMs: number): boolean => hit.begunMs <= untilMs + graceMs;
  const used = secrets.filter(({ text }) => standards(hit).includes(standardOf(hit, text)));
  const old = used.filter(({ validUntilMs }) => !isInTime(validUntilMs));
  return [
    ...(newest.some(({ newestUntilMs }) => isInTime(newestUntilMs)) ? [] : [`${what} is signed with an old secret`]),
    ...(used.length === standards(hit).length ? [] : [`${what} has a webhook-signature of no secret`]),
    ...(old.length === 0 ? [] : [`${what} has a webhook-signature of a secret that had ended`]),
  ];
}

const MOST_HELD_MS = 60_000;

function isSigned({ headers, body }: WebhookHit, secret: string): boolean {
  const { before, signature } = unsigned(body);
  return headers["x-service-signature"] === macHex(secret, body) && signature === `sha256=${macHex(secret, before)}`;
}

function standards({ headers }: WebhookHit): string[] {
  return (headers["webhook-signature"] ?? "").split(" ").filter((one) => one !== "");
}

function standardOf({ headers, body }: WebhookHit, secret: string): string {
  return macStandard(secret, { id: headers["webhook-id"], timestamp: headers["webhook-timestamp"], body });
}
