/** What of a route decides which refusals it can answer with. */
export interface RouteShape {
  readonly method: string;
  /** Undefined where it does not stand behind the gate. */
  readonly access: "read" | "write" | undefined;
  /** It takes bodies of any form. */
  readonly rawBody: boolean;
  readonly schema: {
    readonly body?: unknown;
    readonly querystring?: unknown;
    readonly params?: unknown;
  };
  /** Statuses that its shape does not tell. */
  readonly more: readonly number[];
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "Malformed request.",
  401: "No, a wrong, a revoked or an expired credential.",
  403: "The caller may not do this.",
  404: "No such object.",
  409: "The object's state does not allow it, or the same request is still running.",
  413: "The body is too large.",
  415: "The body must be application/json.",
  422: "Invalid values, or an Idempotency-Key of another request.",
  429: "The rate limit is used up.",
  500: "A fault of the service.",
  503: "The service cannot take this now.",
};

/** The statuses of a route's refusals, with what they mean. Faults of ours can meet every route. */
export function refusalsOf(route: RouteShape): ReadonlyMap<number, string> {
  const { access, rawBody, schema } = route;
  const gated = access !== undefined;
  const takesJson = (gated && route.method !== "GET") || (schema.body !== undefined && !rawBody);
  const can: readonly (readonly [number, boolean])[] = [
    [400, takesJson || schema.querystring !== undefined],
    [401, gated],
    [403, gated],
    [404, namesObject(route)],
    [409, access === "write"],
    [413, takesJson || rawBody],
    [415, takesJson],
    [422, takesJson],
    [429, gated],
    [500, true],
    [503, true],
  ];
  const statuses = can.flatMap(([status, does]) => (does || route.more.includes(status) ? [status] : []));
  return new Map(statuses.map((status) => [status, DESCRIPTIONS[status] ?? ""]));
}

/** By its path, or behind the gate by a member or parameter that ends in `_id`. A gated PUT makes what its path names. */
function namesObject({ access, method, schema }: RouteShape): boolean {
  const gated = access !== undefined;
  if (schema.params !== undefined && !(gated && method === "PUT")) return true;
  return gated && [schema.querystring, schema.body].flatMap(namesOf).some(isOurId);
}

/** An `external_id` is the caller's. */
export function isOurId(name: string): boolean {
  return name.endsWith("_id") && !name.endsWith("external_id");
}

function namesOf(schema: unknown): string[] {
  const properties = (schema as { properties?: object } | undefined)?.properties;
  return properties === undefined ? [] : Object.keys(properties);
}
