import fc from "fast-check";
import { expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { createIdMaker, instant, newTag, ServiceError, systemClock } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ActorType, ApiKey, Rights, Role } from "../callers/api-key.ts";
import { changed, minted } from "./key-rules.ts";
import type { KeyPatch, KeySpec } from "./key-rules.ts";
import { isSubsetOf } from "./privilege-comparison.ts";

const NOW = instant(Date.UTC(2026, 10, 21));
const DAY_MS = 86_400_000;
const ids = createIdMaker(systemClock);
const ADA = ids.uuid();
const BOB = ids.uuid();
const ROLES = ["ai", "viewer", "operator", "developer", "admin", "owner"] as const;
const OPERATIONS = [
  "events.fire",
  "events.list",
  "keys.create",
  "webhook_endpoints.secret",
  "webhook_endpoints.secret.regenerate",
];
const PATTERNS = [
  "*",
  "events.*",
  "events.fire",
  "keys.*",
  "webhook_endpoints.*",
  "webhook_endpoints.secret.*",
  "webhook_endpoints.secret",
];
const SCOPES = ["events:read", "events:write", "keys:write", "keys:read", "webhook_endpoints:write"];
const PERMISSIONS = ["billing.refund", "orders.cancel"];
const RANGES = [
  "0.0.0.0/0",
  "10.0.0.0/8",
  "10.1.0.0/16",
  "10.1.2.3",
  "10.1.2.0/31",
  "192.0.2.0/24",
  "2001:db8::/32",
  "2001:db8:1::/48",
  "::/0",
];
const ADDRESSES = [
  "10.1.2.3",
  "10.1.2.2",
  "10.1.9.9",
  "10.9.9.9",
  "192.0.2.255",
  "203.0.113.5",
  "2001:db8:1::7",
  "2001:db8:2::7",
  "fe80::1",
];

/** A call that a key might be used for. */
interface Call {
  readonly operation: string;
  readonly writes: boolean;
  /** The least role that may. */
  readonly role: Role;
  readonly permission: string | null;
  readonly asPerson: Uuid | null;
  readonly asProgram: boolean;
  readonly address: string;
  readonly signature: "none" | "v1" | "body";
  readonly callsThisHour: number;
  readonly inDays: number;
}

/** There are few, so that a single one often decides. */
const subset = <T>(of: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...of], { maxLength: 2 });

const EASY = {
  writes: false,
  role: "ai",
  permission: null,
  asPerson: null,
  asProgram: false,
  signature: "v1",
  callsThisHour: 1,
  inDays: 0,
} as const;

/** Generates calls with at most two demands, because calls with many demands are refused for every key. */
const anyCall: fc.Arbitrary<Call> = fc
  .record({
    writes: fc.boolean(),
    role: fc.constantFrom(...ROLES),
    permission: fc.constantFrom(...PERMISSIONS),
    asPerson: fc.constantFrom(ADA, BOB),
    asProgram: fc.boolean(),
    signature: fc.constantFrom("none", "body"),
    callsThisHour: fc.integer({ min: 1, max: 12 }),
    inDays: fc.integer({ min: 0, max: 12 }),
  })
  .chain((asks) =>
    fc
      .tuple(
        fc.subarray(Object.entries(asks), { maxLength: 2 }),
        fc.constantFrom(...OPERATIONS),
        fc.constantFrom(...ADDRESSES),
      )
      .map(([entries, operation, address]) => ({ ...EASY, ...Object.fromEntries(entries), operation, address })),
  );

const anySettings = fc.record({
  blocked_actions: subset(PATTERNS),
  role: fc.constantFrom("admin", "developer", "operator", "viewer", "ai"),
  actor_type: fc.constantFrom<ActorType[]>("user", "service", "ai"),
  scopes: fc.option(subset(SCOPES)),
  permissions: subset(PERMISSIONS),
  rate_limit_per_hour: fc.integer({ min: 1, max: 12 }),
  ip_allowlist: subset(RANGES),
  require_signature: fc.boolean(),
  accept_body_signature: fc.boolean(),
  expires_at: fc.option(fc.integer({ min: 1, max: 12 }).map((days) => new Date(NOW + days * DAY_MS).toISOString())),
});

/** Generates specs with at most two settings, because nearly every spec with more is refused. */
const anySpec: fc.Arbitrary<KeySpec> = fc
  .tuple(fc.constantFrom("all", "read_only", "restricted"), anySettings)
  .chain(([mode, settings]) =>
    fc
      .subarray(Object.entries(settings), { maxLength: 2 })
      .map((entries) => ({ ...Object.fromEntries(entries), name: "k", permission_mode: mode })),
  );

const anyRoot: fc.Arbitrary<ApiKey> = fc
  .record({
    permissionMode: fc.constantFrom("all", "read_only", "restricted"),
    blockedActions: subset(PATTERNS),
    role: fc.constantFrom("owner", "admin", "developer"),
    actorType: fc.constantFrom("user", "service"),
    scopes: fc.option(subset(SCOPES)),
    permissions: subset(PERMISSIONS),
    rateLimitPerHour: fc.integer({ min: 1, max: 12 }),
    ipAllowlist: subset(RANGES),
    requireSignature: fc.boolean(),
    acceptBodySignature: fc.boolean(),
    person: fc.constantFrom(ADA, BOB),
    tenant: fc.constant(null),
    expiresInDays: fc.option(fc.integer({ min: 1, max: 12 })),
  })
  .map(({ expiresInDays, person, ...rest }) =>
    keyOf({
      ...rest,
      memberId: rest.actorType === "user" ? person : null,
      expiresAt: expiresInDays === null ? null : instant(NOW + expiresInDays * DAY_MS),
    }),
  );

function keyOf(rights: Rights): ApiKey {
  return {
    ...rights,
    id: ids.uuid(),
    workspaceId: ids.uuid(),
    bucket: 1,
    tag: newTag(),
    environment: "live",
    lineageId: ids.uuid(),
    people: [],
    display: "Key",
    signingSecret: null,
    revokedAt: null,
  };
}

/** The rules of the contract for a key, written independently of the service's comparison of keys. */
const RULES: readonly ((key: Rights, call: Call) => boolean)[] = [
  (key, call) => key.permissionMode !== "read_only" || !call.writes,
  (key, call) =>
    key.permissionMode !== "restricted" || !key.blockedActions.some((pattern) => blocks(pattern, call.operation)),
  (key, call) => ROLES.indexOf(key.role) >= ROLES.indexOf(call.role),
  (key, call) => call.permission === null || key.role === "owner" || key.permissions.includes(call.permission),
  (key, call) => call.asPerson === null || (key.actorType === "user" && key.memberId === call.asPerson),
  (key, call) => !call.asProgram || key.actorType !== "ai",
  (key, call) => key.scopes === null || key.scopes.some((scope) => scopeAllows(scope, call)),
  (key, call) => key.ipAllowlist.length === 0 || key.ipAllowlist.some((range) => contains(range, call.address)),
  (key, call) => call.signature !== "none" || !key.requireSignature,
  (key, call) => call.signature !== "body" || key.acceptBodySignature,
  (key, call) => call.callsThisHour <= key.rateLimitPerHour,
  (key, call) => key.expiresAt === null || NOW + call.inDays * DAY_MS < key.expiresAt,
];

function may(key: Rights, call: Call): boolean {
  return RULES.every((rule) => rule(key, call));
}

function blocks(pattern: string, operation: string): boolean {
  return new RegExp(`^${pattern.replaceAll(".", "\\.").replace("*", ".*")}$`).test(operation);
}

function scopeAllows(scope: string, call: Call): boolean {
  const [area, level] = scope.split(":");
  return call.operation.split(".")[0] === area && (level === "write" || !call.writes);
}

/** Compares bit by bit. An IPv4 address is compared in its IPv6 form, which `::/0` contains. */
function contains(range: string, address: string): boolean {
  const [network = "", prefix] = range.split("/");
  const width = network.includes(":") ? 0 : 96;
  const length = prefix === undefined ? 128 : width + Number(prefix);
  return bitsOf(network).slice(0, length) === bitsOf(address).slice(0, length);
}

function bitsOf(address: string): string {
  if (!address.includes(":")) {
    const bytes = address.split(".").map((byte) => Number(byte).toString(2).padStart(8, "0"));
    return "0".repeat(80) + "1".repeat(16) + bytes.join("");
  }
  const [left = "", right = ""] = address.split("::");
  const words = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const filled = [
    ...words(left),
    ...Array.from({ length: 8 - words(left).length - words(right).length }, () => "0"),
    ...words(right),
  ];
  return filled.map((word) => Number.parseInt(word, 16).toString(2).padStart(16, "0")).join("");
}

/** Returns the result, or undefined if it is refused. Rethrows any other error. */
function tryTo<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof ServiceError && [403, 422].includes(error.kind.status)) return undefined;
    throw error;
  }
}

covers("gate.check.scope-role", "no key made by a chain of keys exceeds one of its ancestors", () => {
  let made = 0;
  fc.assert(
    fc.property(
      anyRoot,
      fc.array(anySpec, { minLength: 1, maxLength: 5 }),
      fc.array(anyCall, { minLength: 30, maxLength: 30 }),
      (root, specs, calls) => {
        const chain = [root];
        for (const spec of specs) {
          const maker = chain.at(-1) ?? root;
          const rights = tryTo(() => minted(maker, spec, NOW));
          if (rights !== undefined) chain.push(keyOf(rights));
        }
        made += chain.length - 1;
        for (const call of calls) {
          const allowed = chain.map((key) => may(key, call));
          // If one key of the chain may not make the call, no later key may.
          expect(allowed).toEqual(allowed.toSorted((a, b) => Number(b) - Number(a)));
        }
      },
    ),
    { numRuns: 3000 },
  );
  expect(made).toBeGreaterThan(1000);
});

covers("gate.check.scope-role", "a changed key is within its old rights or within the caller's, never mixed", () => {
  const anyPatch = anySpec.chain(({ name: _name, permission_mode, actor_type: _actor, ...rest }) =>
    fc.subarray(Object.entries({ permission_mode, ...rest })).map((entries) => Object.fromEntries(entries) as KeyPatch),
  );
  let accepted = 0;
  fc.assert(
    fc.property(
      anyRoot,
      anyRoot,
      anyPatch,
      fc.array(anyCall, { minLength: 30, maxLength: 30 }),
      (caller, key, patch, calls) => {
        const after = tryTo(() => changed(caller, key, patch, NOW));
        if (after === undefined) return;
        accepted += 1;
        const worse = (above: Rights): boolean => calls.some((call) => may(after, call) && !may(above, call));
        // The changed key is within one of them, never a mixture of both.
        expect(worse(key) && worse(caller)).toBe(false);
      },
    ),
    { numRuns: 3000 },
  );
  expect(accepted).toBeGreaterThan(300);
});

const OPEN: Rights = {
  permissionMode: "all",
  tenant: null,
  blockedActions: [],
  role: "owner",
  actorType: "user",
  memberId: ADA,
  scopes: null,
  permissions: [],
  rateLimitPerHour: 12,
  ipAllowlist: [],
  requireSignature: false,
  acceptBodySignature: true,
  expiresAt: null,
};

const aspects: fc.Arbitrary<Partial<Rights>>[] = [
  fc.record({
    permissionMode: fc.constantFrom("all", "read_only", "restricted", "restricted"),
    blockedActions: subset(PATTERNS),
  }),
  fc.option(subset(SCOPES)).map((scopes) => ({ scopes })),
  fc.record({ ipAllowlist: subset(RANGES) }),
  fc.record({ memberId: fc.constantFrom(ADA, BOB) }),
  fc.record({ role: fc.constantFrom(...ROLES), permissions: subset(PERMISSIONS) }),
];

/** Two keys that differ in a single right. */
const anyPair = fc
  .constantFrom(...aspects)
  .chain((aspect) => fc.tuple(aspect, aspect))
  .map(([a, b]): [Rights, Rights] => [
    { ...OPEN, ...a },
    { ...OPEN, ...b },
  ]);

covers("gate.check.scope-role", "the comparison of two keys is correct for each right", () => {
  let within = 0;
  fc.assert(
    fc.property(anyPair, fc.array(anyCall, { minLength: 30, maxLength: 30 }), ([above, below], calls) => {
      if (!isSubsetOf(above, below)) return;
      within += 1;
      expect(calls.filter((call) => may(below, call) && !may(above, call))).toEqual([]);
    }),
    { numRuns: 4000 },
  );
  expect(within).toBeGreaterThan(1000);
});

covers("gate.check.scope-role", "an omitted setting is the maker's, so that a minimal spec always succeeds", () => {
  fc.assert(
    fc.property(anyRoot, (maker) => {
      const rights = minted(maker, { name: "k", permission_mode: maker.permissionMode }, NOW);
      expect(isSubsetOf(maker, rights)).toBe(true);
      expect(rights).toMatchObject({
        blockedActions: maker.blockedActions,
        scopes: maker.scopes,
        permissions: maker.permissions,
        ipAllowlist: maker.ipAllowlist,
        rateLimitPerHour: maker.rateLimitPerHour,
        requireSignature: maker.requireSignature,
        acceptBodySignature: maker.acceptBodySignature,
        expiresAt: maker.expiresAt,
        actorType: "service",
        memberId: null,
      });
    }),
  );
});

test("the comparison of keys is reflexive and transitive", () => {
  fc.assert(
    fc.property(anyRoot, anyRoot, anyRoot, (a, b, c) => {
      expect(isSubsetOf(a, a)).toBe(true);
      if (isSubsetOf(a, b) && isSubsetOf(b, c)) expect(isSubsetOf(a, c)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
