import type { FastifyContextConfig } from "fastify";
import { parseRfc3339, ServiceError, toHttpDate, unixSeconds } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { App } from "../../accounts/accounts.ts";

/** The end of an operation. Dates are days, `YYYY-MM-DD`, and begin at midnight UTC. */
export interface Deprecation {
  readonly since: string;
  /** The day of removal, at least twelve months after `since`. */
  readonly sunset: string;
  /** A page, or a path of ours, that explains what to use instead. */
  readonly see: string;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Set while the route still works; its responses contain the date of its removal. */
    deprecated?: Deprecation;
  }
  interface FastifyRequest {
    apiVersion: ApiVersion;
  }
}

/**
 * The dated versions of the API that this build supports, oldest first. A breaking change adds a version; the others
 * continue to respond as before.
 */
export const API_VERSIONS = ["2026-11-21"] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

/** The version for callers that pin none: the oldest, so that a new version never breaks them. */
export const UNPINNED: ApiVersion = API_VERSIONS[0];

/**
 * Reads the pinned version of each request. Every response names the version that was used and any deprecation
 * (docs/reference/versioning.md).
 */
export function lifecycleHooks(app: App): void {
  app.decorateRequest("apiVersion", UNPINNED);
  app.addHook("onRoute", (route) => {
    if (route.config?.deprecated !== undefined) assertLongNotice(route.url, route.config.deprecated);
  });
  // This hook runs after the access checks, so that a wrong credential is reported before a wrong version.
  app.addHook("preValidation", (request, _reply, done) => {
    const asked = request.headers["x-service-version"];
    if (asked !== undefined) request.apiVersion = versionOf(String(asked));
    done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    reply.header("X-Service-Version", request.apiVersion);
    reply.headers(deprecationHeaders(request.routeOptions.config));
    done(null, payload);
  });
}

/** Returns the version with this exact date. Throws 400 `version_unknown` for any other text. */
export function versionOf(asked: string): ApiVersion {
  const found = API_VERSIONS.find((version) => version === asked);
  if (found !== undefined) return found;
  throw new ServiceError("version_unknown", {
    detail: `Known versions are ${API_VERSIONS.join(", ")}. Without X-Service-Version, ${UNPINNED} applies.`,
    extra: { known_versions: API_VERSIONS },
  });
}

/** Returns the headers of RFC 9745 and RFC 8594; none for a route that is not deprecated. */
export function deprecationHeaders(config: Pick<FastifyContextConfig, "deprecated">): Record<string, string> {
  if (config.deprecated === undefined) return {};
  const { since, sunset, see } = config.deprecated;
  return {
    Deprecation: `@${unixSeconds(midnight(since))}`,
    Sunset: toHttpDate(midnight(sunset)),
    Link: `<${see}>; rel="deprecation"; type="text/html"`,
  };
}

function assertLongNotice(url: string, { since, sunset }: Deprecation): void {
  const yearLater = `${Number(since.slice(0, 4)) + 1}${since.slice(4)}`;
  midnight(since);
  midnight(sunset);
  if (sunset < yearLater) throw new Error(`${url}: the sunset must be at least twelve months after the deprecation`);
}

function midnight(day: string): Instant {
  const at = parseRfc3339(`${day}T00:00:00Z`);
  if (at === undefined) throw new Error(`${day} is not a day`);
  return at;
}
