import { isIP } from "node:net";
import { Nullable, OneOf, Sample, ServiceError, timingSafeEqualText, Type } from "../kernel/kernel.ts";
import type { App } from "../workspaces/workspaces.ts";

/** One thing that must hold for the process to take work; rejects or answers false when it does not. */
export type Check = () => Promise<boolean>;

export interface HealthDeps {
  readonly checks: Readonly<Record<string, Check>>;
  readonly version: { readonly version: string; readonly node: string; readonly git_sha: string | null };
  metrics(): Promise<string>;
  /** Besides loopback, who may read the metrics. */
  readonly metricsToken: string | null;
}

const CHECK_MS = 2000;
const Checks = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", enum: ["ok", "failed"] },
  examples: [{ database: "ok", accepting: "ok" }],
});
const Liveness = Type.Object({ status: OneOf(["ok"]) }, { title: "Liveness" });
const Ready = Type.Object({ status: OneOf(["ok"]), checks: Checks }, { title: "Ready" });
const NotReady = Type.Object(
  { status: OneOf(["unavailable"]), checks: Checks },
  { title: "NotReady", description: "At least one check failed, or the process is stopping." },
);
const Version = Type.Object(
  {
    version: Sample("0.1.0"),
    node: Sample("v26.10.0", { description: "Of the runtime." }),
    git_sha: Nullable(Sample("2544c44d3a", { description: "Of the source; null where it is not a checkout." })),
  },
  { title: "Version" },
);

export function healthRoutes(app: App, deps: HealthDeps): void {
  app.get(
    "/livez",
    {
      schema: {
        operationId: "getLiveness",
        summary: "Is the process alive",
        description: "Answers as soon as the process listens.",
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
        summary: "Can the process take work",
        description: "Each check by name. 503 while one fails and while the process is stopping.",
        response: { 200: Ready, 503: NotReady },
      },
    },
    async (_request, reply) => {
      const results = await Promise.all(
        Object.entries(deps.checks).map(async ([name, check]) => [name, await holds(check)] as const),
      );
      const ready = results.every(([, ok]) => ok);
      const checks = Object.fromEntries(results.map(([name, ok]) => [name, ok ? "ok" : "failed"]));
      return await (ready
        ? reply.code(200).send({ status: "ok", checks })
        : reply.code(503).send({ status: "unavailable", checks }));
    },
  );

  app.get(
    "/version",
    {
      schema: {
        operationId: "getVersion",
        summary: "Which version runs",
        description: "Of the service and of its runtime.",
        response: { 200: Version },
      },
    },
    () => deps.version,
  );

  metricsRoute(app, deps);
}

function metricsRoute(app: App, deps: HealthDeps): void {
  app.get(
    "/metrics",
    {
      config: { errors: ["credentials_missing"] },
      schema: {
        operationId: "getMetrics",
        summary: "Show metrics",
        description: "In Prometheus' text form. For loopback, or with `JUNCTION_METRICS_TOKEN` as a Bearer token.",
        produces: ["text/plain"],
        response: { 200: Type.String({ examples: ["junction_up 1"] }) },
      },
    },
    async (request, reply) => {
      if (!isLoopback(request.ip) && !hasToken(request.headers.authorization, deps.metricsToken)) {
        throw new ServiceError("credentials_missing", {
          detail: "Metrics are for loopback, or for JUNCTION_METRICS_TOKEN as a Bearer token.",
        });
      }
      return await reply.type("text/plain; version=0.0.4; charset=utf-8").send(await deps.metrics());
    },
  );
}

async function holds(check: Check): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), CHECK_MS).unref();
  });
  return await Promise.race([check().catch(() => false), timeout]);
}

function isLoopback(ip: string): boolean {
  return isIP(ip) !== 0 && (ip === "::1" || ip.startsWith("127.") || ip.startsWith("::ffff:127."));
}

function hasToken(authorization: string | undefined, token: string | null): boolean {
  return token !== null && authorization !== undefined && timingSafeEqualText(authorization, `Bearer ${token}`);
}
