import { ServiceError, toDate } from "../../lib/lib.ts";
import type { t, Violation } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { orderingColumns, orderingFaults } from "./ordering.ts";
import { transformFaults } from "../transforms/transform.ts";
import { assertSavable } from "./transforms.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import type { EndpointChange, EndpointRow } from "./endpoints.store.ts";
import { filterFaults } from "./filters.ts";
import { headerFaults } from "../requests/headers.ts";
import { storedAttempts } from "./kind.ts";
import { movedInColumns } from "./moved-in.ts";
import type { MovedInSettings } from "./moved-in.ts";
import { scheduleFaults } from "./own-schedule.ts";
import { pinnedFaults, pinnedText } from "./pinned-versions.ts";
import { entriesOf, patternFaults } from "./tenant-patterns.ts";
import { ownTransform, storedTransform, wireOf } from "./wire.ts";
import type * as shapes from "./endpoints.schemas.ts";

/** The settings of an endpoint, as a caller sends them. */
export interface EndpointInput
  extends Omit<t.Static<typeof shapes.EndpointBody>, keyof MovedInSettings | "filter" | "transform">, MovedInSettings {
  /** The text of a condition as the caller wrote it, so that no digit is lost; null for none. */
  readonly filter?: string | null;
  /** The text of a transformation as the caller wrote it; null for none. */
  readonly transform?: string | null;
}

/** Returns the input with its current address. */
export async function accept<Input extends Partial<EndpointInput>>(
  deps: EndpointsDeps,
  scope: Scope,
  input: Input,
  faults: readonly Violation[] = [],
): Promise<Input> {
  const pinned = await pinnedFaults(deps.db.query, scope, input.event_versions ?? {});
  const errors = [...faults, ...faultsOf(input, deps.retentionDays), ...pinned];
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  await assertSavable(deps.runner, scope, input.transform);
  if (input.url === undefined) return input;
  const url = await deps.inboxes.addressOf(scope, input.url);
  await deps.net.vet(url);
  return { ...input, url };
}

function faultsOf(input: Partial<EndpointInput>, retentionDays: number): Violation[] {
  const { events = [], headers = {}, ordering, filter, transform, retry_schedule: schedule, wire } = input;
  return [
    ...patternFaults(events),
    ...headerFaults(headers),
    ...(ordering ? orderingFaults(ordering) : []),
    ...(typeof filter === "string" ? filterFaults(filter, wire) : []),
    ...(typeof transform === "string" ? transformFaults(transform) : []),
    ...scheduleFaults(schedule, retentionDays),
  ];
}

const NO_CONDITIONS = { channels: null, filter: null };

/** Returns the columns that have defaults. */
export function settingsOf({
  kind = "webhook",
  name = null,
  active = true,
  description = "",
  filter = null,
  ...rest
}: EndpointInput) {
  const { wire, channels, metadata, uid } = rest;
  return {
    kind,
    name,
    active,
    description,
    rate_limit_per_second: rest.rate_limit_per_second ?? null,
    max_in_flight: storedAttempts(kind, rest.max_in_flight ?? rest.destination?.max_items),
    ...movedInColumns(NO_CONDITIONS, { wire, channels, metadata, uid, filter }),
    ...transformOf({ kind, transform: null, transform_version: null, wire: null }, rest),
    event_versions: pinnedText(rest.event_versions),
    ...orderingColumns(rest.ordering ?? null),
    retry_schedule: rest.retry_schedule ?? null,
  };
}

/** Returns the columns of the transformation. Each change has the next version. */
export function transformOf(
  held: Pick<EndpointRow, "kind" | "transform" | "transform_version" | "wire">,
  { transform, wire = wireOf(held) }: Partial<EndpointInput>,
): Pick<EndpointChange, "transform" | "transform_version"> {
  const own = ownTransform(held);
  const wanted = transform === undefined ? own : transform;
  const stored = storedTransform({ kind: held.kind, wire }, wanted);
  if (wanted !== own) return { transform: stored, transform_version: (held.transform_version ?? 0) + 1 };
  return stored === held.transform ? {} : { transform: stored };
}

/** Returns the columns of a change. Enabling an endpoint also clears its failure state. */
export function changeOf(
  { clock }: Pick<EndpointsDeps, "clock">,
  {
    headers: _headers,
    tenant: _tenant,
    kind: _kind,
    auth: _auth,
    signatures: _signatures,
    destination: _destination,
    max_in_flight: attempts,
    active,
    events,
    event_versions: pinned,
    ordering,
    ...others
  }: Partial<EndpointInput>,
  held: EndpointRow,
): EndpointChange {
  const { wire, channels, metadata, uid, filter, ...rest } = others;
  return {
    ...rest,
    ...movedInColumns(held, { wire, channels, metadata, uid, filter }),
    ...(events === undefined ? {} : { events: entriesOf({ events, tenant: held.tenant }) }),
    ...(pinned === undefined ? {} : { event_versions: pinnedText(pinned) }),
    ...(ordering === undefined ? {} : orderingColumns(ordering)),
    ...(attempts === undefined ? {} : { max_in_flight: storedAttempts(held.kind, attempts) }),
    ...(active === undefined ? {} : { active }),
    ...(active === true ? { disabled_reason: null, failing_since: null, inactive_since: null } : {}),
    ...(active === false && held.active ? { inactive_since: toDate(clock.now()) } : {}),
  };
}
