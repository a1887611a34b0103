import type { Environment, Hidden, Instant, Tag, Uuid } from "../../lib/lib.ts";

export type PermissionMode = "all" | "read_only" | "restricted";
export type ActorType = "user" | "service" | "ai";
export type Role = "owner" | "admin" | "developer" | "operator" | "viewer" | "ai";

/** The contract's default (section 3). */
export const DEFAULT_RATE_LIMIT_PER_HOUR = 500_000;

/** The rights of a key, by which two keys are compared. */
export interface Rights {
  readonly permissionMode: PermissionMode;
  /** Applies only in the mode `restricted`. */
  readonly blockedActions: readonly string[];
  readonly role: Role;
  readonly actorType: ActorType;
  /** The member that the key acts as; null if the key is not bound to a person. */
  readonly memberId: Uuid | null;
  /** `<area>:<level>`; null is every scope. */
  readonly scopes: readonly string[] | null;
  readonly permissions: readonly string[];
  readonly rateLimitPerHour: number;
  readonly ipAllowlist: readonly string[];
  readonly requireSignature: boolean;
  readonly acceptBodySignature: boolean;
  readonly expiresAt: Instant | null;
  /** The tenant to which the key is limited; null for a key of the workspace. */
  readonly tenant: string | null;
}

/** The settings of a key without limitations. A key's role and person limit it in any case. */
export const UNLIMITED: Omit<Rights, "role" | "actorType" | "memberId" | "permissions"> = {
  permissionMode: "all",
  blockedActions: [],
  scopes: null,
  rateLimitPerHour: DEFAULT_RATE_LIMIT_PER_HOUR,
  ipAllowlist: [],
  requireSignature: false,
  acceptBodySignature: true,
  expiresAt: null,
  tenant: null,
};

/** An API key, as the access checks read it from the database on every request. */
export interface ApiKey extends Rights {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly environment: Environment;
  readonly lineageId: Uuid;
  /**
   * The people behind the key, who count as one for second-person approval: its person, its creator and everyone who
   * rolled it.
   */
  readonly people: readonly Uuid[];
  /** The display name: that of the person, or that of the key if it is not bound to a person. */
  readonly display: string;
  /** Null if the key's text signs the requests. */
  readonly signingSecret: Hidden | null;
  readonly revokedAt: Instant | null;
  /** Set if this is the credential of a portal session or an MCP token: the key's lineage, or the member, whose rights it has. */
  readonly portalMaker?: { readonly kind: "key" | "member"; readonly id: Uuid };
  /** Set for an MCP token, and if an access token of a connected app stands for the key: it is accepted on this surface alone (decision 0074). */
  readonly audience?: "mcp";
  /** The current role of the member who connected the app. An action is for the app only if it is for that role too. */
  readonly grantedRole?: Role;
  /** Set if this is a console session instead of a key. `id` is then that of the session. */
  readonly session?: SessionInfo;
}

export interface SessionInfo {
  readonly id: Uuid;
  readonly personId: Uuid;
  readonly recoveredAt: Date | null;
}

/** Returns the member of a key that a stored role results in, if there is one. */
export function grantedRoleOf(role: string | null | undefined): Pick<ApiKey, "grantedRole"> {
  return role === null || role === undefined ? {} : { grantedRole: role as Role };
}
