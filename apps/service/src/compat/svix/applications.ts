import type { Scope } from "../../accounts/accounts.ts";
import { instant, parseId, ServiceError, timeText, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { metadataOf } from "../../webhooks/webhooks.ts";
import type { ProfileRow } from "../../webhooks/webhooks.ts";
import type { SvixDeps } from "./deps.ts";
import { listText } from "./lists.ts";
import type { ListRequest } from "./lists.ts";

/** An application: a tenant, and its profile. */
export interface Application {
  readonly tenant: string;
  readonly profile: ProfileRow | undefined;
}

/** Returns the application that a path names by its id or its `uid`. Throws 404 for one that does not exist. */
export async function applicationOf(deps: SvixDeps, scope: Scope, name: string): Promise<Application> {
  const found = await findApplication(deps, scope, name);
  if (found === undefined) throw noApplication();
  return found;
}

export function noApplication(): ServiceError {
  return new ServiceError("not_found", { detail: "There is no application with this id or uid." });
}

/** Returns the application; undefined for none. Throws 403 for another tenant than that of the key. */
export async function findApplication(
  { tenants }: SvixDeps,
  scope: Scope,
  name: string,
): Promise<Application | undefined> {
  const profile = await tenants.profiles.find(scope, name);
  const own = scope.tenant ?? null;
  if (own !== null) {
    if ((profile?.tenant ?? name) !== own)
      throw new ServiceError("tenant_mismatch", { detail: "The application is not the one of the key's tenant." });
    return { tenant: own, profile };
  }
  if (profile !== undefined) return { tenant: profile.tenant, profile };
  return (await isKnown(tenants, scope, name)) ? { tenant: name, profile } : undefined;
}

/** A tenant exists as soon as something names it, and is gone at once when it is deleted. */
async function isKnown(tenants: SvixDeps["tenants"], scope: Scope, name: string): Promise<boolean> {
  if (parseId(name)?.prefix === "app") return false;
  try {
    const view = await tenants.get(scope, name);
    const isEmpty = view.endpoints + view.sources + view.keys === 0 && view.last_seen_at === null;
    return view.deletion?.state !== "running" && !(isEmpty && view.deletion !== null);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return false;
    throw error;
  }
}

function applicationId(scope: Scope, { tenant, profile }: Application): string {
  if (profile === undefined) return tenant;
  return profile.external_ref ?? wireId("app", scope.tag, profile.id);
}

export function applicationView(scope: Scope, application: Application): object {
  const { tenant, profile } = application;
  const rate = profile?.rate_limit_per_second ?? null;
  return {
    id: applicationId(scope, application),
    uid: profile === undefined ? tenant : profile.uid,
    name: profile?.name ?? tenant,
    metadata: profile === undefined ? {} : metadataOf(profile),
    rateLimit: rate,
    throttleRate: rate,
    createdAt: profile === undefined ? UNKNOWN : timeText(profile.created_at),
    updatedAt: profile === undefined ? UNKNOWN : timeText(profile.updated_at),
  };
}

/** A tenant without a profile was made by nothing, so it has no time. */
const UNKNOWN = toRfc3339(instant(0));

/** Lists the applications in the order in which they were made, and the tenants without a profile by name after them. */
export async function listApplications({ tenants }: SvixDeps, scope: Scope, wanted: ListRequest): Promise<string> {
  const found = await foundApplications(tenants, scope, wanted);
  return listText(wanted, {
    found,
    idOf: (one) => applicationId(scope, one),
    textOf: (one) => JSON.stringify(applicationView(scope, one)),
  });
}

async function foundApplications(
  { profiles, unnamed }: SvixDeps["tenants"],
  scope: Scope,
  { limit, from, isBack }: ListRequest,
): Promise<Application[]> {
  const named = async (span: { readonly before?: Uuid; readonly after?: Uuid }): Promise<Application[]> =>
    (await profiles.list(scope, { ...span, limit: limit + 1 })).map((profile) => ({ tenant: profile.tenant, profile }));
  const others = async (after: string, most: number): Promise<Application[]> =>
    (await unnamed(scope, after, most)).map((tenant) => ({ tenant, profile: undefined }));
  const start = from === undefined ? undefined : await profiles.find(scope, from);
  if (isBack) return await named(start === undefined ? {} : { before: start.id });
  if (from !== undefined && start === undefined) return await others(from, limit + 1);
  const first = await named(start === undefined ? {} : { after: start.id });
  const missing = limit + 1 - first.length;
  return missing === 0 ? first : [...first, ...(await others("", missing))];
}
