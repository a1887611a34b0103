import { isIP } from "node:net";
import { Nullable, OneOf, ServiceError, timingSafeEqualText, Type } from "../kernel/kernel.ts";
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

const LiveView = Type.Object({ status: OneOf(["ok"]) });
const ReadyView = Type.Object({
  status: OneOf(["ok", "unavailable"]),
  checks: Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" } }),
});
const VersionView = Type.Object({
  version: Type.String(),
  node: Type.String(),
  git_sha: Nullable(Type.String()),
});

export function healthRoutes(app: App, deps: HealthDeps): void {
  app.get("/livez", { schema: { operationId: "getLiveness", response: { 200: LiveView } } }, () => ({
    status: "ok" as const,
  }));

  const readiness = { operationId: "getReadiness", response: { 200: ReadyView, 503: ReadyView } };
  app.get("/readyz", { schema: readiness }, async (_request, reply) => {
    const results = await Promise.all(
      Object.entries(deps.checks).map(async ([name, check]) => [name, await holds(check)] as const),
    );
    const ready = results.every(([, ok]) => ok);
    const checks = Object.fromEntries(results.map(([name, ok]) => [name, ok ? "ok" : "failed"]));
    return await reply.code(ready ? 200 : 503).send({ status: ready ? "ok" : "unavailable", checks });
  });

  app.get("/version", { schema: { operationId: "getVersion", response: { 200: VersionView } } }, () => deps.version);

  const metrics = { 200: { description: "Prometheus text.", content: { "text/plain": { schema: Type.String() } } } };
  const schema = { operationId: "getMetrics", response: metrics };
  app.get("/metrics", { config: { refusals: [401] }, schema }, async (request, reply) => {
    if (!isLoopback(request.ip) && !hasToken(request.headers.authorization, deps.metricsToken)) {
      throw new ServiceError("credentials_missing", {
        detail: "Metrics are for loopback, or for JUNCTION_METRICS_TOKEN as a Bearer token.",
      });
    }
    return await reply.type("text/plain; version=0.0.4; charset=utf-8").send(await deps.metrics());
  });
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
