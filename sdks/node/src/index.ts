export { isExecuted, isPending } from "./actions.ts";
export type { Executed, PendingConfirmation } from "./actions.ts";
export type { Answered, CallOptions, NoContent, ResponseFacts, Signal, TextAnswer } from "./calls.ts";
export { Junction } from "./client.ts";
export type { RequestOptions } from "./client.ts";
export type { ConsumedMessage, ConsumeOptions } from "./consume.ts";
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  IdempotencyError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ServiceError,
  TimeoutError,
  ValidationError,
  WebhookVerificationError,
} from "./errors.ts";
export type { Problem, VerificationFault, Violation } from "./errors.ts";
export type {
  CanonicalEventName,
  CanonicalEvents,
  DataOf,
  Delivered,
  EventName,
  SystemEventName,
  SystemEvents,
} from "./generated/events.ts";
export { API_VERSION } from "./generated/resources.ts";
export type * from "./generated/resources.ts";
export type * from "./generated/types.ts";
export { toJson } from "./json.ts";
export type { List, Page } from "./pagination.ts";
export type { FastifyLike, FastifyWebhookOptions, NodeRequest, NodeResponse, SecretSource } from "./receivers.ts";
export type { Fetch, FetchInit, FetchResponse, JunctionOptions, Timing, Try } from "./settings.ts";
export type { HeaderSource, RawBody, SignOptions, VerifyOptions } from "./verification.ts";
export { VERSION } from "./version.ts";
export { webhooks } from "./webhooks.ts";
