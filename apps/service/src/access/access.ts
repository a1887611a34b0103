export { sentHeaders } from "./access-request.ts";
export type { ContractGuard } from "./contract-guard.ts";
export { contractOf, idempotencyRefOf, sessionOf } from "./access-request.ts";
export type { OwnWriteRequest, RequestedOperation, MultiOperationRoute } from "./access-request.ts";
export { markTenant, memberText, sendAnswer, sendText } from "./answer.ts";
export { accessHooks, asOperation, assertOwnTenant } from "./access-checks.routes.ts";
export type { RenderError } from "./access-checks.routes.ts";
export { firstOfEachKey, idempotencyPart } from "./idempotency.ts";
export type { Idempotency, IdempotencyRef, SentAnswer, StoredAnswer } from "./idempotency.ts";
export { nearest, operation, withBody } from "./operations.ts";
export type { Operation } from "./operations.ts";
export { runDetached } from "./detached-operation.ts";
export { unservedRoutes } from "./unserved-routes.ts";
export { checkParts, collectOperations, isNoBody, runOperation } from "./operation-table.ts";
export type {
  NamedOperation,
  ObjectSchema,
  OperationEntry,
  OperationSchema,
  OperationTable,
} from "./operation-table.ts";
export { bindArguments, propertiesOf, requiredOf } from "./bind-arguments.ts";
export type { Argument, Bound, FoundArguments } from "./bind-arguments.ts";
export { assertKeyValid, assertAllowed } from "./permission-checks.ts";
export { createRateLimiter } from "./rate.ts";
export type { RateLimiter, RateState, RateSubject, Token } from "./rate.ts";
export { firstRefusal } from "./refusal-order.ts";
export { roleRoutes } from "./roles.routes.ts";
export type { AccessChecks } from "./access-checks.ts";
export type { AuditedOperation } from "./types.ts";
