import type { Caller, Scope } from "../../accounts/accounts.ts";
import { isEventName, nameOf } from "../../events/events.ts";
import type { EventTypes } from "../../events/events.ts";
import { hide, ServiceError } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../lib/lib.ts";
import { namedAuthorOf, secretFaults, uidKey } from "../../webhooks/webhooks.ts";
import type { Adopted, Deliver, Tenants } from "../../webhooks/webhooks.ts";
import type { ImportBody, ImportView } from "./imports.schemas.ts";

type Body = t.Static<typeof ImportBody>;
type ImportResult = t.Static<typeof ImportView>;
type Endpoint = NonNullable<Body["endpoints"]>[number];
type ImportedObject = ImportResult["create"][number];
type LeftOut = ImportResult["left_out"][number];

/** Takes the configuration of another product over (contract, section 18). */
export type Imports = ReturnType<typeof createImports>;

export interface ImportsDeps {
  readonly deliver: Pick<Deliver, "adoption">;
  readonly tenants: Pick<Tenants, "profiles">;
  readonly types: Pick<EventTypes, "every" | "create">;
}

export function createImports(deps: ImportsDeps) {
  return {
    /**
     * Creates what does not exist yet, all in the transaction of the caller. What exists already stays as it is, so that a repeated import
     * changes nothing. Throws 422 with every place at which a name is doubled or belongs to another object.
     */
    async run(caller: Caller, body: Body, scanned: ScannedJson | null): Promise<ImportResult> {
      const { scope } = caller;
      const planned = await planOf(deps, scope, body);
      if (body.dry_run !== true) await write(deps, caller, { body, scanned, planned });
      const { types, applications, endpoints, leftOut } = planned;
      const create: ImportedObject[] = [
        ...types.map(({ name }): ImportedObject => ({ kind: "event_type", name })),
        ...applications.map(({ ref }): ImportedObject => ({ kind: "tenant", name: ref })),
        ...endpoints.map(({ ref }): ImportedObject => ({ kind: "endpoint", name: ref })),
      ];
      const all = [body.event_types, body.applications, body.endpoints].reduce(
        (sum, one) => sum + (one?.length ?? 0),
        0,
      );
      return {
        object: "import",
        source: body.source,
        dry_run: body.dry_run === true,
        create,
        unchanged: all - create.length - leftOut.length,
        left_out: leftOut,
      };
    },
  };
}

interface Planned {
  readonly types: NonNullable<Body["event_types"]>;
  readonly applications: NonNullable<Body["applications"]>;
  readonly endpoints: readonly Endpoint[];
  readonly leftOut: LeftOut[];
  /** The tenants of the applications that exist, by their ids elsewhere. */
  readonly tenants: ReadonlyMap<string, string>;
}

async function planOf(deps: ImportsDeps, scope: Scope, body: Body): Promise<Planned> {
  const { applications = [], endpoints = [] } = body;
  const names = applications.flatMap(({ ref, uid }) => [ref, ...(uid == null ? [] : [uid])]);
  const profiles = await deps.tenants.profiles.named(scope, names);
  const tenants = new Map(
    profiles.flatMap((row) => (row.external_ref === null ? [] : [[row.external_ref, row.tenant]])),
  );
  const tenantOf = tenantsOf(body, tenants);
  const uids = endpoints.flatMap((one) => (one.uid == null ? [] : [{ tenant: tenantOf(one), uid: one.uid }]));
  const known = await deps.deliver.adoption.known(scope, { refs: endpoints.map(({ ref }) => ref), uids });
  const others = new Set(
    profiles.filter(({ external_ref: ref }) => ref === null).flatMap(({ uid, tenant }) => [uid, tenant]),
  );
  const newEndpoints = endpoints.filter(({ ref }) => !known.refs.has(ref));
  const errors = [
    ...doubled(applications, "applications", ({ ref }) => ref),
    ...doubled(applications, "applications", ({ uid }) => uid ?? undefined, "uid"),
    ...doubled(endpoints, "endpoints", ({ ref }) => ref),
    ...doubled(endpoints, "endpoints", (one) => (one.uid == null ? undefined : uidKey(tenantOf(one), one.uid)), "uid"),
    ...doubled(body.event_types ?? [], "event_types", ({ name }) => name, "name"),
    ...applications.flatMap(({ ref, uid }, at) =>
      !tenants.has(ref) && uid != null && (others.has(uid) || profiles.some((row) => row.uid === uid))
        ? [fault(`/applications/${at}/uid`, "taken", "is the name of another tenant: rename one of them")]
        : [],
    ),
    ...endpoints.flatMap((one, at) =>
      !known.refs.has(one.ref) && one.uid != null && known.uids.has(uidKey(tenantOf(one), one.uid))
        ? [fault(`/endpoints/${at}/uid`, "taken", "is the uid of another endpoint of the tenant")]
        : [],
    ),
    ...leadNowhere(body),
    ...endpoints.flatMap(({ secret }, at) =>
      secret !== undefined && /^wh[a-z]+_/.test(secret) ? secretFaults(secret, `/endpoints/${at}/secret`) : [],
    ),
  ];
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors: errors.slice(0, 100) });
  const reasons = await deps.deliver.adoption.faultsOf(scope, newEndpoints.map(inputOf));
  const { types, leftOut } = await typesOf(deps, scope, body);
  return {
    types,
    applications: applications.filter(({ ref }) => !tenants.has(ref)),
    endpoints: newEndpoints.filter((_one, at) => reasons[at] === undefined),
    leftOut: [
      ...leftOut,
      ...newEndpoints.flatMap(({ ref }, at): LeftOut[] => {
        const reason = reasons[at];
        return reason === undefined ? [] : [{ kind: "endpoint", name: ref, reason }];
      }),
    ],
    tenants,
  };
}

/** Returns a function that finds the tenant of an endpoint. A new application without a name has none yet, but then no `uid` of it is taken. */
function tenantsOf(body: Body, tenants: ReadonlyMap<string, string>): (one: Endpoint) => string | null {
  const uids = new Map(body.applications?.map(({ ref, uid }) => [ref, uid ?? ref]));
  return ({ application, tenant }) =>
    application === undefined ? (tenant ?? null) : (tenants.get(application) ?? uids.get(application) ?? application);
}

function leadNowhere({ applications = [], endpoints = [] }: Body): Violation[] {
  const refs = new Set(applications.map(({ ref }) => ref));
  return endpoints.flatMap(({ application }, at) =>
    application === undefined || refs.has(application)
      ? []
      : [fault(`/endpoints/${at}/application`, "unknown", "must be the ref of an application of this import")],
  );
}

function doubled<One>(
  list: readonly One[],
  section: string,
  keyOf: (one: One) => string | undefined,
  member = "ref",
): Violation[] {
  const seen = new Set<string>();
  return list.flatMap((one, at) => {
    const key = keyOf(one);
    if (key === undefined) return [];
    if (seen.has(key))
      return [fault(`/${section}/${at}/${member}`, "duplicate", "must not repeat that of another object")];
    seen.add(key);
    return [];
  });
}

function fault(pointer: string, code: string, message: string): Violation {
  return { pointer, code, message };
}

async function typesOf(
  { types }: ImportsDeps,
  scope: Scope,
  { event_types: given = [] }: Body,
): Promise<Pick<Planned, "types" | "leftOut">> {
  if (given.length === 0) return { types: [], leftOut: [] };
  const known = new Set((await types.every(scope)).map(nameOf));
  const missing = given.filter(({ name }) => !known.has(name));
  const isShared = scope.environment === "sandbox";
  return {
    types: missing.filter(({ name }) => !isShared && isEventName(name)),
    leftOut: missing.flatMap(({ name }): LeftOut[] => {
      const reason = isShared
        ? "Event types belong to both environments: import them with a live key."
        : "Its name is not one that an event can have.";
      return isShared || !isEventName(name) ? [{ kind: "event_type", name, reason }] : [];
    }),
  };
}

function inputOf({ url, events, headers, ...rest }: Endpoint) {
  return {
    url,
    events,
    description: rest.description ?? "",
    active: rest.active ?? true,
    channels: rest.channels ?? [],
    metadata: rest.metadata ?? {},
    uid: rest.uid ?? null,
    rate_limit_per_second: rest.rate_limit_per_second ?? null,
    wire: rest.wire ?? ("svix" as const),
    ...(headers === undefined ? {} : { headers }),
  };
}

interface Writing {
  readonly body: Body;
  readonly scanned: ScannedJson | null;
  readonly planned: Planned;
}

async function write(
  { deliver, tenants, types }: ImportsDeps,
  { key, scope }: Caller,
  { body, scanned, planned }: Writing,
): Promise<void> {
  for (const type of planned.types) {
    const at = body.event_types?.indexOf(type) ?? -1;
    const schema = type.schema == null ? "null" : (scanned?.slice(["event_types", at, "schema"]) ?? "null");
    await types.create(scope, type.name, {
      description: type.description ?? "",
      schema,
      enforcement: "off",
      visibility: "public",
      deprecated: type.deprecated ?? false,
    });
  }
  const made = await tenants.profiles.adopt(
    scope,
    planned.applications.map(({ ref, name, uid, metadata = {}, rate_limit_per_second: rate }) => ({
      input: { name, uid: uid ?? null, metadata, rate_limit_per_second: rate ?? null },
      externalRef: ref,
    })),
  );
  const tenantOf = ({ application, tenant }: Endpoint): string | null =>
    application === undefined ? (tenant ?? null) : (planned.tenants.get(application) ?? made.get(application) ?? null);
  const adopted = planned.endpoints.map((one): Adopted => ({
    input: { ...inputOf(one), tenant: tenantOf(one) },
    externalRef: one.ref,
    secret: one.secret === undefined ? undefined : hide(one.secret),
  }));
  await deliver.adoption.adopt(scope, adopted, namedAuthorOf(key));
}
