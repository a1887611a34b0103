import { wireId } from "../lib/lib.ts";
import type { Id, Uuid } from "../lib/lib.ts";
import { authorOf, memberWireId } from "../accounts/accounts.ts";
import type { ActorType, Author, Caller, Scope, Standing } from "../accounts/accounts.ts";
import type { Surface } from "./contracts/contract.ts";

/** Who did something, as runs, proposals and events show it. */
export interface Actor {
  readonly type: ActorType | "rule" | "workflow" | "system";
  /** The member, the key, the rule or the workflow; null: the service itself. */
  readonly id: Id | null;
  readonly display: string | null;
  readonly key_id: Id | null;
  readonly ip: string | null;
}

/** The service, where it moves something because its time is over. */
export const SYSTEM: Actor = { type: "system", id: null, display: null, key_id: null, ip: null };

/** What the gate's rules for keys look at, of a key or of whoever wrote a rule. */
export type Rights = Pick<Standing, "permissionMode" | "blockedActions" | "role" | "scopes" | "permissions">;

/** Who asks for an action, with the rights of this moment. */
export interface ActionCaller {
  readonly scope: Scope;
  readonly actor: Actor;
  readonly rights: Rights;
  /** The way the call came in; never what a body says. */
  readonly surface: Surface;
  /** An AI is behind it: nothing that it says counts as a confirmation. */
  readonly isAi: boolean;
  /** As whom it is proposed: when that key or member is no more, what it proposed is void. Null: the service's own assistant. */
  readonly author: Author | null;
  /** The very key; null where no key asks. */
  readonly keyId: Uuid | null;
  /** The member as whom it is asked; null where that is nobody. */
  readonly memberId: Uuid | null;
  /** The people behind it, whom four eyes exclude: also of a service's key, by who made it. */
  readonly people: readonly Uuid[];
  /** The events that led here, oldest first. */
  readonly chain: readonly Uuid[];
}

/** All by which four eyes and approvals know who is behind an asker: the people, and the membership, which older proposals have. */
export function identitiesOf({ memberId, people }: Pick<ActionCaller, "memberId" | "people">): readonly Uuid[] {
  return memberId === null ? people : [memberId, ...people];
}

/** Surfaces on which an AI acts, whatever its credential says of itself. */
const AI_SURFACES: ReadonlySet<Surface> = new Set(["mcp", "assistant"]);

export function isAiSurface(surface: Surface): boolean {
  return AI_SURFACES.has(surface);
}

/** A caller of the API or the console; `display` is what the key or the person is called. */
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
    author: authorOf(key),
    keyId: key.session === undefined ? key.id : null,
    memberId: key.memberId,
    people: key.people,
    chain: [],
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
