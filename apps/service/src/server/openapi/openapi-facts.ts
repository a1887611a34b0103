import type { FastifyContextConfig } from "fastify";
import type { Operation } from "../../access/access.ts";
import type { ErrorCode } from "../../lib/lib.ts";
import type { Deprecation } from "../http/lifecycle.ts";

/** What the contract has to say of a route beside its schemas. */
export interface RouteFacts {
  /** Null: public. */
  readonly operation: string | null;
  /** What a caller needs, beside being who they are: the console and the docs show it. */
  readonly rights: Readonly<Record<string, unknown>>;
  readonly writes: boolean;
  /** Whether some role may not. */
  readonly limitedByRole: boolean;
  /** Stands for every operation, and answers as each of them does. */
  readonly switchboard: boolean;
  /** Lets keys in, and no sessions. */
  readonly keysOnly: boolean;
  /** Words what an operation refuses in its own way. */
  readonly ownWords: boolean;
  readonly takesBytes: boolean;
  readonly errors: readonly ErrorCode[];
  readonly deprecated: Deprecation | null;
}

const EVERY_ROLE = 6;

export function factsOf(config: Partial<FastifyContextConfig> = {}): RouteFacts {
  const { gated, switchboard, keysOnly = false, rawBody = false, errors = [], deprecated = null } = config;
  const ownWords = config.wording !== undefined;
  const given = { switchboard: switchboard !== undefined, keysOnly, ownWords, takesBytes: rawBody, errors, deprecated };
  if (gated === undefined)
    return { ...given, operation: null, rights: {}, writes: given.switchboard, limitedByRole: false };
  return {
    ...given,
    operation: gated.name,
    rights: rightsFor(gated),
    writes: gated.access === "write",
    limitedByRole: gated.roles.length < EVERY_ROLE || gated.peopleOnly,
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
