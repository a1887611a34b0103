import { wireId } from "../../lib/lib.ts";
import type { Id, Uuid } from "../../lib/lib.ts";
import { memberWireId, requesterOf } from "../../accounts/accounts.ts";
import type { ActorType, Author, Caller, Scope, SessionInfo, Standing } from "../../accounts/accounts.ts";
import type { Surface } from "./surface.ts";

/** The author of an operation, as runs, proposals and events show it. */
export interface Actor {
  readonly type: ActorType | "rule" | "workflow" | "standing_approval" | "system";
  /** The member, the key, the rule, the workflow or the standing approval. Null: the service itself. */
  readonly id: Id | null;
  readonly display: string | null;
  readonly key_id: Id | null;
  readonly ip: string | null;
}

/** The service, when it changes something because a time limit has passed. */
export const SYSTEM: Actor = { type: "system", id: null, display: null, key_id: null, ip: null };

/** The properties that the access checks compare for a key, or for the author of a rule. */
export type Rights = Pick<
  Standing,
  "permissionMode" | "blockedActions" | "role" | "scopes" | "permissions" | "grantedRole"
>;

/** The caller of an action, with its current rights. */
export interface ActionCaller {
  readonly scope: Scope;
  readonly actor: Actor;
  readonly rights: Rights;
  /** The surface follows from how the call came in, never from a request's body. */
  readonly surface: Surface;
  /** The caller acts for an AI: no input from it counts as a confirmation. */
  readonly isAi: boolean;
  /**
   * The author of its proposals, which become void once that key or member no longer exists. Null: the service's own
   * assistant.
   */
  readonly author: Author | null;
  /** The key of the request; null if there is none. */
  readonly keyId: Uuid | null;
  /** The member on whose behalf the action is requested; null if there is none. */
  readonly memberId: Uuid | null;
  /**
   * The people behind the caller, whom second-person approval excludes. For a service's key, this is the person who
   * created it.
   */
  readonly people: readonly Uuid[];
  /** The people who fired one of the events that led to this call. Second-person approval excludes them too. */
  readonly causes?: readonly Uuid[];
  /** The events that led to this call, oldest first. */
  readonly chain: readonly Uuid[];
  /** The tenant whose event or key led to this call, which what the call causes has too. */
  readonly tenant: string | null;
  /** The program that an MCP client says it is. Nothing depends on it. */
  readonly client?: string | null;
  /** The console session of the request. Only a person in one can prove again who they are. */
  readonly session?: SessionInfo;
  /** Set if a linked account of another service decides for the member, and not a session or a key. */
  readonly via?: Via;
}

/** The other services in which members decide. */
export const VIA = ["slack"] as const;
export type Via = (typeof VIA)[number];

/** Returns the member of a decision that says where it was made; none for the API and the console. */
export function viaOf({ via }: Pick<ActionCaller, "via">): { readonly via?: Via } {
  return via === undefined ? {} : { via };
}

/**
 * All ids by which second-person approval and approvals identify the people behind a caller. Older proposals have a
 * membership only.
 */
export function identitiesOf({ memberId, people }: Pick<ActionCaller, "memberId" | "people">): readonly Uuid[] {
  return memberId === null ? people : [memberId, ...people];
}

/** Surfaces on which an AI acts, regardless of the credential's actor type. */
const AI_SURFACES: ReadonlySet<Surface> = new Set(["mcp", "assistant"]);

export function isAiSurface(surface: Surface): boolean {
  return AI_SURFACES.has(surface);
}

/** Returns the caller of a request from the API or the console. `display` is the name of the key or the person. */
export function askerOf(
  { key, scope }: Caller,
  origin: { readonly ip: string; readonly display: string | null },
): ActionCaller {
  return {
    scope,
    actor: actorOf({ key, scope }, origin),
    rights: key,
    surface: key.session === undefined ? "api" : "console",
    isAi: key.actorType === "ai",
    author: requesterOf(key),
    keyId: key.session === undefined ? key.id : null,
    memberId: key.memberId,
    people: key.people,
    chain: [],
    tenant: scope.tenant ?? null,
    ...(key.session === undefined ? {} : { session: key.session }),
  };
}

function actorOf(
  { key, scope }: Caller,
  { ip, display }: { readonly ip: string; readonly display: string | null },
): Actor {
  const keyId = key.session === undefined ? wireId("key", scope.tag, key.id) : null;
  const isPerson = key.actorType === "user" && key.memberId !== null;
  const id = isPerson && key.memberId !== null ? memberWireId(scope, key.memberId) : keyId;
  return { type: key.actorType, id: id ?? memberWireId(scope, key.lineageId), display, key_id: keyId, ip };
}
