import type { Scope } from "../../accounts/accounts.ts";
import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { newSigningSecret, ServiceError } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import { ofTenant, sql } from "../../platform/db/db.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { NamedAuthor } from "./transforms.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import type { EndpointInput } from "./endpoint-input.ts";
import { endpointRow, MOST_ENDPOINTS } from "./new-endpoint.ts";
import { lockCreation } from "./endpoints.store.ts";
import type { EndpointInsert } from "./endpoints.store.ts";
import { headerFaults } from "../requests/headers.ts";
import { orTaken } from "./moved-in.ts";

/** The settings of an endpoint that is sent requests. */
type AdoptedInput = EndpointInput & { readonly url: string };

/** An endpoint of another product. */
export interface Adopted {
  readonly input: AdoptedInput & { readonly tenant: string | null };
  /** The id that it had. */
  readonly externalRef: string;
  /** Undefined for a new one. */
  readonly secret: Hidden | undefined;
}

/** Takes many endpoints over at once. */
export type Adoption = ReturnType<typeof createAdoption>;

export interface Refs {
  readonly refs: readonly string[];
  readonly uids: readonly { readonly tenant: string | null; readonly uid: string }[];
}

const AT_ONCE = 500;
const VETTED_AT_ONCE = 16;

export function createAdoption(deps: EndpointsDeps) {
  return {
    /** Returns the external ids among these that endpoints have, and the `uid`s that are taken, as `<tenant> <uid>`. */
    async known(
      scope: Scope,
      { refs, uids }: Refs,
    ): Promise<{ readonly refs: ReadonlySet<string>; readonly uids: ReadonlySet<string> }> {
      const { rows } = await sql<{ external_ref: string | null; tenant: string | null; uid: string | null }>`
        select external_ref, tenant, uid from endpoint where bucket = ${scope.bucket} and tag = ${scope.tag} and deleted_at is null
          and (external_ref = any(${[...refs]}::text[]) or uid = any(${uids.map(({ uid }) => uid)}::text[]))`.execute(
        deps.db.query,
      );
      return {
        refs: new Set(rows.flatMap((row) => row.external_ref ?? [])),
        uids: new Set(rows.flatMap(({ tenant, uid }) => (uid === null ? [] : [uidKey(tenant, uid)]))),
      };
    },
    /** Returns why each of these endpoints cannot be taken over; undefined for those that can. */
    async faultsOf(scope: Scope, inputs: readonly AdoptedInput[]): Promise<(string | undefined)[]> {
      const blocked = await blockedUrls(deps, scope, [...new Set(inputs.map(({ url }) => url))]);
      return inputs.map((input) => adoptionFault(input) ?? blocked.get(input.url));
    },
    /** Creates the endpoints. Their inputs have no faults. Throws 409 if one exists, or a tenant would have too many. */
    async adopt(scope: Scope, adopted: readonly Adopted[], maker: NamedAuthor): Promise<void> {
      const rows = await Promise.all(
        adopted.map(
          async ({ input, externalRef, secret = newSigningSecret() }) =>
            await endpointRow(deps, { scope, maker, secret, externalRef }, input),
        ),
      );
      await orTaken(
        async () =>
          await deps.db.transaction(async (tx) => {
            await lockCreation(tx, scope);
            await assertRooms(tx, scope, rows);
            for (let at = 0; at < rows.length; at += AT_ONCE)
              await tx.query
                .insertInto("endpoint")
                .values(rows.slice(at, at + AT_ONCE))
                .execute();
          }),
      );
    },
  };
}

export function uidKey(tenant: string | null, uid: string): string {
  return `${tenant ?? ""} ${uid}`;
}

function adoptionFault({ events, headers = {} }: EndpointInput): string | undefined {
  const wrong = events.find((name) => !isEventPattern(name));
  if (wrong !== undefined) return `The event type ${wrong} ${EVENT_PATTERN_FAULT}.`;
  const [fault] = headerFaults(headers);
  return fault === undefined ? undefined : `The header at ${fault.pointer} ${fault.message}.`;
}

/** Returns the reasons why the service does not send to some of the URLs. */
async function blockedUrls(
  { inboxes, net }: EndpointsDeps,
  scope: Scope,
  urls: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const blocked = new Map<string, string>();
  const waiting = [...urls];
  const vetSome = async (): Promise<void> => {
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      try {
        await net.vet(await inboxes.addressOf(scope, url));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const { reason } = error.details.extra ?? {};
        blocked.set(url, `The service does not send to its URL${typeof reason === "string" ? ` (${reason})` : ""}.`);
      }
    }
  };
  await Promise.all(Array.from({ length: VETTED_AT_ONCE }, vetSome));
  return blocked;
}

/** Throws if a tenant, or the workspace itself, would have too many endpoints. */
async function assertRooms(
  tx: Tx,
  scope: Scope,
  rows: readonly (EndpointInsert & { readonly tenant: string | null })[],
): Promise<void> {
  const added = Map.groupBy(rows, ({ tenant }) => tenant ?? "");
  const held = await tx.query
    .selectFrom("endpoint")
    .select(["tenant", sql<number>`count(*)::int`.as("n")])
    .$call(ofTenant(scope))
    .where((eb) => eb.or([eb("tenant", "in", [...added.keys(), "-"]), eb("tenant", "is", null)]))
    .where("channel_id", "is", null)
    .where("deleted_at", "is", null)
    .groupBy("tenant")
    .execute();
  const counts = new Map(held.map(({ tenant, n }) => [tenant ?? "", n]));
  for (const [tenant, own] of added)
    if ((counts.get(tenant) ?? 0) + own.length > MOST_ENDPOINTS)
      throw new ServiceError("conflict", {
        detail: `${tenant === "" ? "The workspace" : `The tenant ${tenant}`} would have more than ${MOST_ENDPOINTS} webhook endpoints.`,
      });
}
