import type { Environment, Instant, Tag, Uuid } from "../kernel/kernel.ts";

export type PermissionMode = "all" | "read_only" | "restricted";
export type ActorType = "user" | "service" | "ai";
export type Role = "owner" | "admin" | "developer" | "operator" | "viewer" | "ai";

/** An API key as the gate reads it, fresh from the database on every request. */
export interface ApiKey {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly environment: Environment;
  readonly lineageId: Uuid;
  readonly permissionMode: PermissionMode;
  readonly blockedActions: readonly string[];
  readonly role: Role;
  readonly actorType: ActorType;
  readonly memberId: Uuid | null;
  readonly scopes: readonly string[] | null;
  readonly permissions: readonly string[];
  readonly rateLimitPerHour: number;
  readonly ipAllowlist: readonly string[];
  readonly requireSignature: boolean;
  readonly acceptBodySignature: boolean;
  /** Null when the key's own text signs. */
  readonly signingSecret: string | null;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Set when a console session stands here in a key's place: `id` is the session's then. */
  readonly session?: { readonly id: Uuid; readonly personId: Uuid };
}
