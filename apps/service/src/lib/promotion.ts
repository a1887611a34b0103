import { ServiceError } from "./errors.ts";
import type { Environment } from "./ids.ts";
import { canonicalJson, isRecord, pointerOf } from "./json.ts";
import { Nullable, OneOf, strict, StringExample, Type, WireId } from "./schema.ts";
import type { Static } from "./schema.ts";

const ENVIRONMENTS = ["live", "sandbox"] as const;

/** The members of objects that are made in one environment and may act in both. */
export const environmentFields = {
  environment: OneOf(
    ENVIRONMENTS,
    "The environment of the credential that made the object. Only credentials of this environment can change it.",
  ),
  acts_in: Type.Array(OneOf(ENVIRONMENTS), {
    description:
      "The environments in which the object acts. A live object also acts in the sandbox, unless the sandbox has its own instead.",
    examples: [["live", "sandbox"]],
  }),
};

/** The members that connect an object of the sandbox with its copy in live. `prefix` is that of the ids. */
export function promotionFields(prefix: string, what: string) {
  return {
    /** The live object that this one replaces in the sandbox, and that a promotion changes. */
    promotes_to: Nullable(WireId(prefix)),
    promoted_from: Nullable(
      Type.Object(
        { id: WireId(prefix), version: Type.Integer({ examples: [1] }) },
        { description: `The sandbox ${what}, and its version, that was last promoted to this ${what}.` },
      ),
    ),
  };
}

export const EnvironmentFilter = Type.Optional(
  OneOf(ENVIRONMENTS, "Restricts the list to objects of this environment. Default: both."),
);

/** Returns the environments in which an object acts. */
export function actsIn(row: { readonly author_environment: string; readonly is_shadowed: boolean }): Environment[] {
  if (row.author_environment === "sandbox") return ["sandbox"];
  return row.is_shadowed ? ["live"] : ["live", "sandbox"];
}

/** Throws 403 unless the object belongs to the caller's environment. `what` names the object: "rule". */
export function assertOwnEnvironment(caller: Environment, of: string, what: string): void {
  if (caller === of) return;
  const detail =
    of === "live"
      ? `This ${what} belongs to live and acts on live data. Use a live credential to change it.`
      : `This ${what} belongs to the sandbox. Use a sandbox credential to change it, or promote it to live.`;
  throw new ServiceError("environment_mismatch", { detail });
}

/** The whole body may be omitted. */
export const PromotionBody = Nullable(
  Type.Object(
    {
      dry_run: Type.Optional(
        Type.Boolean({ default: false, description: "Whether to return the difference without changing anything." }),
      ),
      source_version: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: "The version in the sandbox that the caller has seen. Another one is refused with 409.",
        }),
      ),
      live_version: Type.Optional(
        Nullable(
          Type.Integer({
            minimum: 1,
            description:
              "The version in live that the caller has seen, or null for none. Another one is refused with 409.",
          }),
        ),
      ),
    },
    { ...strict, title: "PromotionRequest" },
  ),
);
export type PromotionRequest = NonNullable<Static<typeof PromotionBody>>;

const Difference = Type.Object(
  {
    path: StringExample("/endpoint", "The JSON Pointer of the member."),
    from: Type.Optional(
      Type.Unsafe<unknown>({ description: "The value in live. Omitted if live does not have the member." }),
    ),
    to: Type.Optional(
      Type.Unsafe<unknown>({ description: "The value from the sandbox. Omitted if the sandbox does not have it." }),
    ),
  },
  { title: "PromotionDifference" },
);

export const PromotionView = Type.Object(
  {
    object: OneOf(["promotion"]),
    dry_run: Type.Boolean(),
    effect: OneOf(
      ["create", "update", "none"],
      "Whether live gets a new object, a new version of the object that it has, or nothing because both are equal.",
    ),
    source_id: StringExample("rule_0h2k4m6n01jd3c4z8q2w5e7r9t0y1u2i3o", "The id of the object in the sandbox."),
    source_version: Type.Integer({ examples: [3] }),
    live_id: Nullable(
      StringExample(
        "rule_0h2k4m6n01jd3c4z8q2w5e7r9t0y1u2i4p",
        "The id of the object in live. Null if it does not exist yet.",
      ),
    ),
    live_version: Nullable(
      Type.Integer({
        description: "The version in live: after the promotion, or at the moment with `dry_run`.",
        examples: [2],
      }),
    ),
    difference: Type.Array(Difference),
    warnings: Type.Array(Type.String({ examples: ["Its approval rules (approval.allow_rule) are not promoted."] })),
  },
  { title: "Promotion" },
);
export type Promotion = Static<typeof PromotionView>;

/**
 * Throws 409 if the versions are not those that the caller has seen, or if the source changed after its addresses were
 * checked.
 */
export function assertExpectedVersions(
  { source_version: source, live_version: live }: PromotionRequest,
  found: { readonly source: number; readonly isAsChecked: boolean; readonly live: number | null },
): void {
  const isSame =
    found.isAsChecked &&
    (source === undefined || source === found.source) &&
    (live === undefined || live === found.live);
  if (isSame) return;
  throw new ServiceError("conflict", {
    detail: `The sandbox has version ${found.source} and live has ${found.live === null ? "none" : `version ${found.live}`}. One of them was changed since you saw the difference. Request it again with dry_run.`,
    extra: { reason: "version_changed" },
  });
}

/** Throws 409 for an object that is not in the sandbox. */
export function assertPromotable(environment: string, what: string): void {
  if (environment === "sandbox") return;
  throw new ServiceError("conflict", {
    detail: `This ${what} already belongs to live. Only a ${what} of the sandbox can be promoted.`,
    extra: { reason: "already_live" },
  });
}

/** Returns the members in which two JSON values differ. Lists of objects are compared by position. */
export function differenceOf(
  from: unknown,
  to: unknown,
  path: readonly (string | number)[] = [],
): Promotion["difference"] {
  if (areEqual(from, to)) return [];
  const names = namesOf(from, to);
  if (names === undefined)
    return [{ path: pointerOf(path), ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  return names.flatMap((name) => differenceOf(memberOf(from, name), memberOf(to, name), [...path, name]));
}

function areEqual(from: unknown, to: unknown): boolean {
  if (from === undefined || to === undefined) return from === to;
  return canonicalJson(from) === canonicalJson(to);
}

/** Returns the members to compare one by one; undefined if the values are compared as a whole. */
function namesOf(from: unknown, to: unknown): (string | number)[] | undefined {
  if (isRecord(from) && isRecord(to)) return [...new Set([...Object.keys(from), ...Object.keys(to)])];
  if (Array.isArray(from) && Array.isArray(to) && [...from, ...to].every(isRecord))
    return [...Array(Math.max(from.length, to.length)).keys()];
  return undefined;
}

function memberOf(value: unknown, name: string | number): unknown {
  if (Array.isArray(value)) return value[Number(name)] as unknown;
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
