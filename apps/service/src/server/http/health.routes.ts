import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { isLoopback, ServiceError, t, timingSafeEqualText, withTimeout } from "../../lib/lib.ts";
import { route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";

/** Checks one condition for the process to accept work. Rejects or returns false if it does not hold. */
export type Check = () => Promise<boolean>;

export interface HealthDeps {
  readonly checks: Readonly<Record<string, Check>>;
  /** Returns the result of the self-test; runs it when the last result is too old. */
  selfTest(): Promise<t.SelfTestView>;
  readonly version: { readonly version: string; readonly node: string; readonly git_sha: string | null };
  metrics(): Promise<string>;
  /** The token with which callers other than loopback may read the metrics. */
  readonly metricsToken: string | null;
}

const CHECK_MS = 2000;
const Checks = t.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", enum: ["ok", "failed"] },
  examples: [{ database: "ok", accepting: "ok" }],
});
const Liveness = t.Object({ status: t.OneOf(["ok"]) }, { title: "Liveness" });
const Ready = t.Object(
  { status: t.OneOf(["ok"]), checks: Checks, self_test: t.Optional(t.SelfTest) },
  { title: "Ready" },
);
const ReadyQuery = t.Object({
  deep: t.Optional(
    t.OneOf(
      ["0", "1"],
      "`1` includes the result of the self-test. The self-test runs again if the last result is older than 60 seconds.",
    ),
  ),
});
const NotReady = t.Object(
  { status: t.OneOf(["unavailable"]), checks: Checks },
  { title: "NotReady", description: "At least one check failed, or the process is stopping." },
);
const Version = t.Object(
  {
    version: t.StringExample("0.1.0"),
    node: t.StringExample("v26.10.0", { description: "The version of the runtime." }),
    git_sha: t.Nullable(
      t.StringExample("2544c44d3a", {
        description: "The commit of the source code. Null if the service does not run from a checkout.",
      }),
    ),
  },
  { title: "Version" },
);

export function healthRoutes(app: App, deps: HealthDeps): void {
  app.get(
    "/livez",
    {
      schema: {
        operationId: "getLiveness",
        summary: "Check that the process is alive",
        description: "Responds as soon as the process listens.",
        response: { 200: Liveness },
      },
    },
    () => ({ status: "ok" as const }),
  );

  app.get(
    "/readyz",
    {
      schema: {
        operationId: "getReadiness",
        summary: "Check that the process is ready",
        description:
          "Returns the result of each check by name. The status is 503 while a check fails and while the process is stopping. With `deep=1`, any failure, including one of the self-test, is a problem document, and its `self_test` member contains the failed step and the reason.",
        querystring: ReadyQuery,
        response: { 200: Ready, 503: NotReady },
      },
    },
    async (request, reply) => {
      const checks = await resultsOf(deps.checks);
      if (request.query.deep === "1")
        return await reply.code(200).send({ status: "ok", checks, self_test: await deepResult(deps, checks) });
      return await (isReady(checks)
        ? reply.code(200).send({ status: "ok", checks })
        : reply.code(503).send({ status: "unavailable", checks }));
    },
  );

  app.get(
    "/version",
    {
      schema: {
        operationId: "getVersion",
        summary: "Show the version",
        description: "Returns the versions of the service and of its runtime.",
        response: { 200: Version },
      },
    },
    () => deps.version,
  );

  metricsRoute(app, deps);
}

function metricsRoute(app: App, deps: HealthDeps): void {
  route(app, "GET /metrics", {
    config: { callers: "public", errors: ["credentials_missing"] },
    operationId: "getMetrics",
    summary: "Show metrics",
    description:
      "Returns the metrics in the Prometheus text format. Requires a request from loopback, or `JUNCTION_METRICS_TOKEN` as a Bearer token.",
    produces: ["text/plain"],
    response: { 200: t.String({ examples: ["junction_up 1"] }) },
    handler: async (request, reply) => {
      if (!isLocal(request) && !hasToken(request.headers.authorization, deps.metricsToken)) {
        throw new ServiceError("credentials_missing", {
          detail:
            "Metrics are for loopback, or for JUNCTION_METRICS_TOKEN as a Bearer token. Behind a proxy on this machine, set JUNCTION_TRUST_PROXIES too.",
        });
      }
      return await reply.type("text/plain; version=0.0.4; charset=utf-8").send(await deps.metrics());
    },
  });
}

/**
 * Returns true for a direct request from this machine. A proxy on this machine may forward other clients: a forwarding
 * header that is not trusted (JUNCTION_TRUST_PROXIES) is a sign of one.
 */
function isLocal({ ip, ips = [], headers }: FastifyRequest): boolean {
  const isBelieved = ips.length > 1;
  return (
    isIP(ip) !== 0 && isLoopback(ip) && (isBelieved || (headers["x-forwarded-for"] ?? headers.forwarded) === undefined)
  );
}

type Results = Record<string, "ok" | "failed">;

async function resultsOf(checks: HealthDeps["checks"]): Promise<Results> {
  const results = Object.entries(checks).map(
    async ([name, check]) => [name, (await holds(check)) ? "ok" : "failed"] as const,
  );
  return Object.fromEntries(await Promise.all(results));
}

function isReady(checks: Results): boolean {
  return Object.values(checks).every((result) => result === "ok");
}

/**
 * Runs the deep check. Throws 503 `service_unavailable` with the failed checks. Anyone may call it: its result names no
 * host, and one run serves all callers of a minute.
 */
async function deepResult(deps: HealthDeps, checks: Results): Promise<t.SelfTestView> {
  // While the process stops, the self-test's event would only delay it.
  const result = checks["accepting"] === "failed" ? null : await deps.selfTest();
  if (result?.status === "passed" && isReady(checks)) return result;
  const failed = Object.entries(checks).flatMap(([name, state]) => (state === "ok" ? [] : [name]));
  const sentences = [
    ...(failed.length === 0 ? [] : [`Failed checks: ${failed.join(", ")}.`]),
    ...(result?.status === "failed"
      ? [`The self-test failed at the step "${result.failed_step}". ${result.detail}`]
      : []),
  ];
  throw new ServiceError("service_unavailable", {
    detail: sentences.join(" "),
    extra: { checks, ...(result === null ? {} : { self_test: result }) },
  });
}

async function holds(check: Check): Promise<boolean> {
  const isFine = await withTimeout(
    check().catch(() => false),
    CHECK_MS,
  );
  return isFine ?? false;
}

function hasToken(authorization: string | undefined, token: string | null): boolean {
  return token !== null && authorization !== undefined && timingSafeEqualText(authorization, `Bearer ${token}`);
}
