import type { Environment, Hidden, Instant, Tag, Uuid } from "../../lib/lib.ts";

export type PermissionMode = "all" | "read_only" | "restricted";
export type ActorType = "user" | "service" | "ai";
export type Role = "owner" | "admin" | "developer" | "operator" | "viewer" | "ai";

/** The contract's default (section 3). */
export const DEFAULT_RATE_LIMIT_PER_HOUR = 500_000;

/** What a key may do: all in which two keys can be compared. */
export interface Rights {
  readonly permissionMode: PermissionMode;
  /** Obeyed in mode `restricted` alone. */
  readonly blockedActions: readonly string[];
  readonly role: Role;
  readonly actorType: ActorType;
  /** The person as whom the key acts; null for keys that are nobody's. */
  readonly memberId: Uuid | null;
  /** `<area>:<level>`; null is every scope. */
  readonly scopes: readonly string[] | null;
  readonly permissions: readonly string[];
  readonly rateLimitPerHour: number;
  readonly ipAllowlist: readonly string[];
  readonly requireSignature: boolean;
  readonly acceptBodySignature: boolean;
  readonly expiresAt: Instant | null;
}

/** An API key as the gate reads it, fresh from the database on every request. */
export interface ApiKey extends Rights {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly environment: Environment;
  readonly lineageId: Uuid;
  /** The people behind it, whom four eyes take for one: the person it is bound to, who made it, and who rolled it. */
  readonly people: readonly Uuid[];
  /** What people call whoever acts: the person, or the key where it is nobody's. */
  readonly display: string;
  /** Null when the key's own text signs. */
  readonly signingSecret: Hidden | null;
  readonly revokedAt: Instant | null;
  /** Set when a console session stands here in a key's place: `id` is the session's then. */
  readonly session?: { readonly id: Uuid; readonly personId: Uuid };
}
