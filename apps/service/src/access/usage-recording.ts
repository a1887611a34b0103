import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gate } from "./types.ts";

/**
 * Records a response for the usage and the request log, also that of a refused request, whose route tells the
 * operation.
 */
export function note(gate: Gate, request: FastifyRequest, reply: FastifyReply): void {
  const { accessContext, ip, method } = request;
  const { key } = accessContext;
  const asked = request.operation ?? request.routeOptions.config.gated;
  if (key === undefined || asked === undefined) return;
  const { statusCode: status } = reply;
  if (key.session === undefined) gate.noteUse({ key, operation: asked.name, ip, status });
  const { id, errorCode, routeOptions } = request;
  const durationMs = reply.elapsedTime;
  const route = routeOptions.url ?? "";
  if (asked.access === "write" && status < 400) gate.noteWrite(key.tag);
  gate.noteRequest({ id, key, operation: asked.name, method, route, status, errorCode, durationMs, ip });
}
