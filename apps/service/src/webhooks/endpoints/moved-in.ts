import { parseJson, ServiceError } from "../../lib/lib.ts";
import type { Hidden, Violation } from "../../lib/lib.ts";
import { violatedConstraint } from "../../platform/db/db.ts";
import { readFilter, storedFilter } from "./channels.ts";
import type { EndpointChange, EndpointRow } from "./endpoints.store.ts";
import { wireOf } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** The settings of an endpoint that customers and programs of another product rely on (contract, section 18). */
export interface MovedInSettings {
  readonly wire?: Wire | undefined;
  /** The endpoint gets only events that share one of these; an empty list: all. */
  readonly channels?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly uid?: string | null | undefined;
}

/** The members of a new endpoint that only an import sets. */
export interface Imported {
  /** The secret that receivers verify already. */
  readonly secret: Hidden;
  /** The id that the endpoint had elsewhere. */
  readonly externalRef?: string;
}

type Columns = Pick<EndpointChange, "wire" | "channels" | "metadata" | "uid" | "filter">;

/**
 * Returns the columns of a change. The stored filter has both conditions, so that a change of one keeps the other.
 */
export function movedInColumns(
  held: Pick<EndpointRow, "channels" | "filter">,
  input: MovedInSettings & { readonly filter?: string | null | undefined },
): Columns {
  const { wire, metadata, uid } = input;
  return {
    ...(wire === undefined ? {} : { wire: wire === "service" ? null : wire }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    ...(uid === undefined ? {} : { uid }),
    ...conditionColumns(held, input),
  };
}

function conditionColumns(
  held: Pick<EndpointRow, "channels" | "filter">,
  {
    channels,
    filter,
  }: { readonly channels?: readonly string[] | undefined; readonly filter?: string | null | undefined },
): Pick<Columns, "channels" | "filter"> {
  if (channels === undefined && filter === undefined) return {};
  const wanted = channels === undefined ? held.channels : [...new Set(channels)];
  const own = filter === undefined ? readFilter(held.filter).own : filter;
  const columns = { filter: storedFilter({ channels: wanted, own }) };
  return channels === undefined ? columns : { ...columns, channels: wanted?.length === 0 ? null : wanted };
}

/** The members of an endpoint that show these settings. */
export interface MovedInView {
  readonly wire: Wire;
  readonly channels: string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly uid: string | null;
  readonly external_ref: string | null;
}

export function movedInView(row: EndpointRow): MovedInView {
  return {
    wire: wireOf(row),
    channels: row.channels ?? [],
    metadata: row.metadata === null ? {} : (parseJson(row.metadata) as Record<string, string>),
    uid: row.uid,
    external_ref: row.external_ref,
  };
}

/** Throws 409 in place of the error of the database if another endpoint has the id. */
export async function orTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!/^endpoint_(?:uid|external_ref)/.test(violatedConstraint(error) ?? "")) throw error;
    const detail = "Another endpoint has this `uid` or `external_ref`. Use another one, or change that endpoint.";
    throw new ServiceError("conflict", { detail });
  }
}

/** The secrets that endpoints can have: `whsec_` and 24 to 75 bytes, as Standard Webhooks allow. */
const SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LEAST_BYTES = 24;
const MOST_BYTES = 75;

/** Returns the faults of a secret that a caller brings. */
export function secretFaults(secret: string, pointer: string): Violation[] {
  const bytes = SECRET.test(secret) ? Buffer.from(secret.slice("whsec_".length), "base64").length : 0;
  if (bytes >= LEAST_BYTES && bytes <= MOST_BYTES) return [];
  return [{ pointer, code: "secret", message: "must be whsec_ and 24 to 75 bytes in base64" }];
}
