import {
  bucketOf,
  createIdMaker,
  environmentOf,
  newApiKey,
  newTag,
  parseId,
  sha256,
  systemClock,
  wireId,
} from "../lib/lib.ts";
import type { Id, IdPrefix, Tag, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { TestService } from "./test-service.ts";

export interface TestKey {
  readonly id: Id;
  readonly uuid: Uuid;
  readonly key: string;
}

export interface TestWorkspace {
  readonly key: string;
  readonly tag: Tag;
  /** Returns a possible id of this workspace that no object has. */
  id(prefix: IdPrefix): Id;
}

const ids = createIdMaker(systemClock);

/** Creates a key through the API as the owner. By default it may do everything. */
export async function mintKey(service: TestService, spec: Record<string, unknown> = {}): Promise<TestKey> {
  const made = await service.api("POST", "/v1/keys", { name: "test", permission_mode: "all", ...spec });
  if (made.status !== 201) throw new Error(`no key: ${made.text}`);
  return { id: made.body["id"], uuid: uuidOf(made.body["id"]), key: made.body["key"] };
}

/** Sets columns of a key that cannot be set through the API. */
export async function setKey(service: TestService, key: TestKey, columns: Record<string, unknown>): Promise<void> {
  const names = Object.keys(columns);
  const set = names.map((name, at) => `${name} = $${at + 2}`).join(", ");
  await service.database.query(`update api_key set ${set} where id = $1`, [key.uuid, ...Object.values(columns)]);
}

/** Creates a second workspace on the same installation, with an owner's live key. */
export async function otherWorkspace(service: TestService): Promise<TestWorkspace> {
  const tag = newTag();
  const key = await addWorkspace(service.database.query, tag);
  return { key, tag, id: (prefix) => wireId(prefix, tag, ids.uuid()) };
}

/** Inserts a workspace with this tag, and returns an owner's live key. */
export async function addWorkspace(
  query: (text: string, values: unknown[]) => Promise<unknown>,
  tag: Tag,
  { perHour }: { readonly perHour?: number } = {},
): Promise<string> {
  const [workspaceId, keyId, key] = [ids.uuid(), ids.uuid(), newApiKey("live")];
  const bucket = bucketOf(tag);
  await query("insert into workspace (id, tag, bucket, name) values ($1, $2, $3, 'Other')", [workspaceId, tag, bucket]);
  await query(
    `insert into api_key (id, workspace_id, bucket, tag, key_hash, lineage_id, name, prefix_hint, permission_mode, role, actor_type)
     values ($1, $2, $3, $4, $5, $1, 'other', 'jn_live', 'all', 'owner', 'service')`,
    [keyId, workspaceId, bucket, tag, sha256(key)],
  );
  if (perHour !== undefined) await query("update api_key set rate_limit_per_hour = $2 where id = $1", [keyId, perHour]);
  return key;
}

/** Returns an id of the service's own workspace that no object has. */
export function absentId(service: { readonly tag: Tag }, prefix: IdPrefix): Id {
  return wireId(prefix, service.tag, ids.uuid());
}

/** Returns the scope that a key acts in. */
export async function scopeOf(service: TestService, key: string): Promise<Scope> {
  const fired = await service.api("POST", "/v1/events/fire", { event: "who.am.i", data: {} }, { key });
  const { body } = await service.api("GET", `/v1/events/${fired.body["id"]}`, undefined, { key });
  const tag = tagOfId(body["id"]);
  return { workspaceId: uuidOf(body["scope_key"]), tag, bucket: bucketOf(tag), environment: environmentOf(tag) };
}

export function uuidOf(id: string): Uuid {
  return parsed(id).uuid;
}

export function tagOfId(id: string): Tag {
  return parsed(id).tag;
}

/** Returns the number of rows in a table. */
export async function countRows(service: TestService, table: string): Promise<number> {
  const [row] = await service.database.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return row?.n ?? 0;
}

function parsed(id: string): { readonly uuid: Uuid; readonly tag: Tag } {
  const found = parseId(id);
  if (found === undefined) throw new Error(`${id} is no id`);
  return found;
}
