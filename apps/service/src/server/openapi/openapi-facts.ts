import type { FastifyContextConfig } from "fastify";
import type { Operation } from "../../access/access.ts";
import type { ErrorCode } from "../../lib/lib.ts";
import type { Deprecation } from "../answers/lifecycle.ts";

/** The facts about a route that the contract documents in addition to its schemas. */
export interface RouteFacts {
  /** The operation; null for a public route. */
  readonly operation: string | null;
  /** The requirements for a caller in addition to a credential. The console and the docs show them. */
  readonly rights: Readonly<Record<string, unknown>>;
  readonly writes: boolean;
  /** True if some role may not call the operation. */
  readonly limitedByRole: boolean;
  /** True for the route that stands for every operation, with the responses of each of them. */
  readonly switchboard: boolean;
  /** True if the route accepts keys, but not sessions. */
  readonly keysOnly: boolean;
  /** True if the operation has its own format for refusals. */
  readonly ownWords: boolean;
  readonly takesBytes: boolean;
  readonly errors: readonly ErrorCode[];
  readonly deprecated: Deprecation | null;
}

const EVERY_ROLE = 6;

export function factsOf(config: Partial<FastifyContextConfig> = {}): RouteFacts {
  const { checked, switchboard, keysOnly = false, rawBody = false, errors = [], deprecated = null } = config;
  const ownWords = config.wording !== undefined;
  const given = { switchboard: switchboard !== undefined, keysOnly, ownWords, takesBytes: rawBody, errors, deprecated };
  if (checked === undefined)
    return { ...given, operation: null, rights: {}, writes: given.switchboard, limitedByRole: false };
  return {
    ...given,
    operation: checked.name,
    rights: rightsFor(checked),
    writes: checked.access === "write",
    limitedByRole: checked.roles.length < EVERY_ROLE || checked.peopleOnly,
  };
}

function rightsFor({
  name,
  access,
  roles,
  limit,
  scoped,
  liveOnly,
  peopleOnly,
  does,
  doesWith,
}: Operation): Readonly<Record<string, unknown>> {
  return {
    "x-operation": name,
    "x-access": access,
    "x-roles": roles,
    "x-rate-limit": limit,
    ...(liveOnly ? { "x-environment": "live" } : {}),
    ...(peopleOnly ? { "x-actors": ["user"] } : {}),
    ...(does.length > 0 ? { "x-does": does } : {}),
    ...(Object.keys(doesWith).length > 0 ? { "x-does-with": doesWith } : {}),
    ...(scoped ? { "x-scope": `${name.slice(0, name.indexOf("."))}:${access}` } : {}),
  };
}
