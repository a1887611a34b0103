import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccessChecks } from "./types.ts";

/**
 * Records a response for the usage and the request log, also that of a refused request, whose route tells the
 * operation.
 */
export function note(accessChecks: AccessChecks, request: FastifyRequest, reply: FastifyReply): void {
  const { access, ip, method } = request;
  const { key } = access;
  const asked = access.operation ?? request.routeOptions.config.checked;
  if (key === undefined || asked === undefined) return;
  const { statusCode: status } = reply;
  if (key.session === undefined) accessChecks.noteUse({ key, operation: asked.name, ip, status });
  const { id, errorCode, routeOptions } = request;
  const durationMs = reply.elapsedTime;
  const route = routeOptions.url ?? "";
  if (asked.access === "write" && status < 400) accessChecks.noteWrite(key.tag);
  accessChecks.noteRequest({ id, key, operation: asked.name, method, route, status, errorCode, durationMs, ip });
}
