export interface ErrorKind {
  readonly status: number;
  readonly title: string;
  /** True if the same request can succeed later without a change. */
  readonly retryable: boolean;
}

/**
 * Every error that the service responds with (contract, section 4). The OpenAPI enum, the docs pages and the SDKs'
 * classes are generated from it.
 */
export const errorCatalogue = {
  credentials_missing: { status: 401, title: "The request has no credential.", retryable: false },
  key_invalid: { status: 401, title: "The API key is not valid.", retryable: false },
  key_revoked: { status: 401, title: "The API key has been revoked.", retryable: false },
  key_expired: { status: 401, title: "The API key has expired.", retryable: false },
  signature_invalid: { status: 401, title: "The signature does not match.", retryable: false },
  signature_required: { status: 401, title: "This key must sign its requests.", retryable: false },
  timestamp_missing: { status: 401, title: "A signed request needs a timestamp.", retryable: false },
  timestamp_invalid: { status: 401, title: "The timestamp must be a whole number of Unix seconds.", retryable: false },
  timestamp_out_of_range: { status: 401, title: "The timestamp is too far from the server's time.", retryable: false },
  sign_in_failed: { status: 401, title: "The email, password or code is incorrect.", retryable: false },
  totp_required: { status: 401, title: "A second factor is required.", retryable: false },
  password_sign_in_off: { status: 403, title: "The workspace does not accept passwords.", retryable: false },
  session_invalid: { status: 401, title: "The session has ended. Sign in again.", retryable: false },
  invitation_invalid: { status: 401, title: "The invitation is invalid, already used or expired.", retryable: false },
  reset_link_invalid: { status: 401, title: "The link is invalid, already used or expired.", retryable: false },
  setup_link_invalid: { status: 401, title: "The setup link is invalid, already used or expired.", retryable: false },
  portal_token_invalid: {
    status: 401,
    title: "The portal link is invalid, already used or expired.",
    retryable: false,
  },
  workspace_mismatch: { status: 403, title: "The object belongs to another workspace.", retryable: false },
  environment_mismatch: { status: 403, title: "The object belongs to the other environment.", retryable: false },
  tenant_mismatch: { status: 403, title: "The key belongs to a tenant.", retryable: false },
  action_blocked: { status: 403, title: "The key's restrictions block this operation.", retryable: false },
  key_read_only: { status: 403, title: "This key is read-only.", retryable: false },
  role_not_allowed: { status: 403, title: "The caller's role does not allow this operation.", retryable: false },
  scope_missing: { status: 403, title: "The key does not have the required scope.", retryable: false },
  surface_not_allowed: { status: 403, title: "The operation is not available on this surface.", retryable: false },
  permission_required: { status: 403, title: "An operator permission is required.", retryable: false },
  self_approval_forbidden: { status: 403, title: "A second person must approve this.", retryable: false },
  step_up_required: { status: 403, title: "You must prove again who you are.", retryable: false },
  human_approval_required: { status: 403, title: "A person must make this decision.", retryable: false },
  ip_not_allowed: { status: 403, title: "The IP address is not in the key's allowlist.", retryable: false },
  csrf_token_invalid: { status: 403, title: "The CSRF token is missing or invalid.", retryable: false },
  origin_not_allowed: { status: 403, title: "The request's origin is not allowed.", retryable: false },
  rate_limited: { status: 429, title: "The rate limit is exceeded.", retryable: true },
  too_many_auth_failures: { status: 429, title: "Too many failed authentication attempts.", retryable: true },
  too_many_streams: { status: 429, title: "Too many streams are open.", retryable: true },
  malformed_json: { status: 400, title: "The body is not well-formed JSON.", retryable: false },
  query_invalid: { status: 400, title: "A query parameter is unknown or has an invalid value.", retryable: false },
  cursor_invalid: { status: 400, title: "The cursor is not valid for this list.", retryable: false },
  idempotency_key_invalid: { status: 400, title: "The Idempotency-Key is not valid.", retryable: false },
  version_unknown: { status: 400, title: "Unknown API version.", retryable: false },
  bad_request: { status: 400, title: "The request is malformed.", retryable: false },
  payload_too_large: { status: 413, title: "The body is too large.", retryable: false },
  unsupported_media_type: {
    status: 415,
    title: "The type or the coding of the body is not accepted.",
    retryable: false,
  },
  method_not_allowed: { status: 405, title: "Method not allowed.", retryable: false },
  route_not_found: { status: 404, title: "Path not found.", retryable: false },
  not_found: { status: 404, title: "Object not found.", retryable: false },
  action_unknown: { status: 404, title: "Action not found.", retryable: false },
  validation_failed: { status: 422, title: "The request has invalid values.", retryable: false },
  event_data_invalid: { status: 422, title: "The event's data does not match its type.", retryable: false },
  schema_incompatible: { status: 409, title: "The schema is not compatible with its version.", retryable: false },
  url_blocked: { status: 422, title: "The service does not send requests to this URL.", retryable: false },
  action_endpoint_failed: { status: 502, title: "The action's backend failed.", retryable: false },
  action_endpoint_redirect: { status: 502, title: "The action's backend responded with a redirect.", retryable: false },
  action_endpoint_timeout: { status: 504, title: "The action's backend did not respond in time.", retryable: false },
  secret_missing: { status: 409, title: "The secret that the contract refers to is not set.", retryable: false },
  secret_host_refused: { status: 409, title: "The secret may not be sent to this host.", retryable: false },
  idempotency_key_reused: { status: 422, title: "The Idempotency-Key was used for another request.", retryable: false },
  idempotency_in_progress: {
    status: 409,
    title: "A request with this Idempotency-Key is still running.",
    retryable: true,
  },
  already_decided: { status: 409, title: "The proposal has already been decided.", retryable: false },
  proposal_expired: { status: 409, title: "The proposal has expired.", retryable: false },
  proposal_changed: { status: 409, title: "The proposal changed after review.", retryable: false },
  contract_changed: {
    status: 409,
    title: "The action's contract changed after the proposal was created.",
    retryable: false,
  },
  proposer_revoked: { status: 409, title: "The proposer no longer has access.", retryable: false },
  last_owner: { status: 409, title: "A workspace must have at least one owner.", retryable: false },
  event_already_fired: { status: 409, title: "The event has already been fired.", retryable: false },
  transform_cases_failed: {
    status: 409,
    title: "The cases of the transformation do not pass.",
    retryable: false,
  },
  conflict: { status: 409, title: "The object's state does not allow this operation.", retryable: false },
  consumer_busy: { status: 409, title: "The consumer has a lease that is running.", retryable: true },
  lease_lost: { status: 409, title: "The lease was lost.", retryable: false },
  inbound_inactive: { status: 403, title: "The source is disabled.", retryable: true },
  inbound_processing_failed: { status: 500, title: "The inbound event could not be processed.", retryable: true },
  internal_error: { status: 500, title: "Something went wrong on our side.", retryable: true },
  service_unavailable: { status: 503, title: "The service is temporarily unavailable.", retryable: true },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCatalogue;
export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[];
