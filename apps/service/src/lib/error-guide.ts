import type { ErrorCode } from "./error-catalogue.ts";

export interface ErrorAdvice {
  /** The situation in which the service answers with this code. */
  readonly why: string;
  /** The caller's remedy. It is also the `detail` of a refusal that does not set its own. */
  readonly remedy: string;
}

const CHECK_KEY = "Check that you copied the complete key, and that it belongs to this installation.";
const SIGN =
  "Sign the exact bytes that you send, as described in the guide on request signing. The SDKs do this for you.";

/** The cause and the remedy of each code, which the documentation shows with its title. */
export const errorGuide: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  credentials_missing: {
    why: "The request has no API key, and the operation is not public.",
    remedy: "Send Authorization: Bearer <API key>.",
  },
  key_invalid: {
    why: "No key has this text. Typos are detected by the key's checksum, without a database query.",
    remedy: CHECK_KEY,
  },
  key_revoked: {
    why: "The key was revoked. Revocation takes effect immediately, on every node.",
    remedy: "Use another key of the workspace, or ask an owner or admin to create one.",
  },
  key_expired: {
    why: "The key's expires_at has passed.",
    remedy: "Ask an owner or admin to create a new key, or roll keys before they expire.",
  },
  signature_invalid: {
    why: "X-Service-Signature matches neither signature scheme: the signed bytes or the secret differ, or the value is not 64 lowercase hexadecimal digits. For an inbound event: the signature is missing, or it does not match the source's scheme and secret.",
    remedy: SIGN,
  },
  signature_required: {
    why: "The key has require_signature, and the request has no X-Service-Signature header.",
    remedy: "Send X-Service-Signature and X-Service-Timestamp.",
  },
  timestamp_missing: {
    why: "The request has a signature but no X-Service-Timestamp, so its age is unknown.",
    remedy: "Send X-Service-Timestamp in Unix seconds, and include it in the signature.",
  },
  timestamp_invalid: {
    why: "X-Service-Timestamp is not a whole number of Unix seconds. A value of 13 digits is in milliseconds.",
    remedy: "Send the time in whole seconds.",
  },
  timestamp_out_of_range: {
    why: "X-Service-Timestamp differs from the server's time by more than 300 seconds. server_time is the server's time.",
    remedy: "Synchronize the caller's clock, and sign each attempt with the current time.",
  },
  sign_in_failed: {
    why: "No account has this email address and password, or the second factor is incorrect.",
    remedy: "Check them and try again, or ask an owner for a link to set a new password.",
  },
  totp_required: {
    why: "The email address and password are correct, and the account has a second factor, which second_factors names.",
    remedy:
      "Sign in again with totp_code (six digits from the authenticator app, or a recovery code), or with the assertion of a passkey.",
  },
  session_invalid: {
    why: "The session was ended, has expired, or was idle for too long.",
    remedy: "Sign in again.",
  },
  invitation_invalid: {
    why: "The invitation is unknown, was accepted or revoked, or is more than 7 days old.",
    remedy: "Ask an owner or admin to invite you again.",
  },
  reset_link_invalid: {
    why: "The link is unknown, was used, was replaced by a newer one, or is more than a day old.",
    remedy: "Ask an owner for a new link.",
  },
  setup_link_invalid: {
    why: "The one-time link is unknown, was used, or is more than 30 minutes old.",
    remedy: "Restart the service. It prints a new link as long as the installation has no owner.",
  },
  portal_token_invalid: {
    why: "The link's token is unknown, was exchanged, is older than 5 minutes, or its session was revoked. It also ends with the key or the member that created the session.",
    remedy: "Request a new portal session from your own server.",
  },
  workspace_mismatch: {
    why: "An ID in the request has another workspace's tag. The request is rejected before any data is read, whether or not the object exists.",
    remedy: "Use a key of the workspace that owns the object.",
  },
  environment_mismatch: {
    why: "An ID in the request belongs to the sandbox and the key is a live key, or the reverse.",
    remedy: "Use the workspace's key for the other environment.",
  },
  tenant_mismatch: {
    why: "The key belongs to one tenant. The operation is not for such keys, or the request names another tenant.",
    remedy: "Use a key without a tenant, or omit `tenant`.",
  },
  action_blocked: {
    why: "The key is in Restricted mode, and its list blocks this operation by name or by wildcard.",
    remedy: "Use another key, or ask an owner or admin to change the key's blocked_actions.",
  },
  key_read_only: {
    why: "The key is in Read-only mode, and this is a write operation.",
    remedy: "Use a key that can write.",
  },
  role_not_allowed: {
    why: "The role that this key acts as cannot perform the operation.",
    remedy: "Use a key with one of the roles that the detail lists.",
  },
  scope_missing: {
    why: "The key is limited to scopes, and none of them covers this operation.",
    remedy: "Use a key with the scope <area>:read or <area>:write of this operation.",
  },
  surface_not_allowed: {
    why: "The action's contract does not list the surface through which it was called.",
    remedy: "Call it through a surface that its contract lists, or ask for a change of the contract.",
  },
  permission_required: {
    why: "The action's contract requires an operator permission that the caller does not have, or the request grants a key a permission that its creator does not have.",
    remedy: "Ask an owner to grant this permission to the key or the person.",
  },
  ip_not_allowed: {
    why: "The key has an allowlist, and the request came from an address that is not in it.",
    remedy: "Call from an allowed address, or ask for a change of the key's ip_allowlist.",
  },
  password_sign_in_off: {
    why: "The workspaces of the person have the setting password_sign_in turned off.",
    remedy:
      "Sign in with OpenID Connect. If the issuer is down, the operator can allow passwords again with `junction workspace allow-passwords`.",
  },
  csrf_token_invalid: {
    why: "A write request of a console session has no X-CSRF-Token header, or has the token of another session.",
    remedy: "Send the csrf_token from the sign-in response.",
  },
  origin_not_allowed: {
    why: "The request has an Origin header: it comes from a web page that is not part of this installation.",
    remedy: "Connect from a program, which sends no Origin header, or from a page at the installation's own address.",
  },
  rate_limited: {
    why: "The key has reached its limit of calls per minute or per hour.",
    remedy: "Wait for the number of seconds in Retry-After, then repeat the call.",
  },
  too_many_streams: {
    why: "The workspace, or the process of the service, has reached its limit of open streams.",
    remedy: "Close streams that are not in use, or share one stream between the parts of a page. Then try again.",
  },
  too_many_auth_failures: {
    why: "Too many requests with invalid credentials came from this address, or for this key.",
    remedy: "Correct the credential, then wait for the number of seconds in Retry-After.",
  },
  malformed_json: {
    why: "The body is not JSON, is not UTF-8, is nested more than 64 levels deep, or repeats a name in one object.",
    remedy: "Send one well-formed JSON text in UTF-8.",
  },
  query_invalid: {
    why: "The query has a parameter that this path does not support, or an invalid value.",
    remedy: "Correct the parameters that the errors list.",
  },
  cursor_invalid: {
    why: "The cursor was changed, or belongs to another list, workspace or filter.",
    remedy: "Use next_cursor unchanged, with the same filters. To start over, send no cursor.",
  },
  idempotency_key_invalid: {
    why: "The Idempotency-Key is empty, has more than 255 characters, or has characters other than visible ASCII.",
    remedy: "Send 1 to 255 visible ASCII characters; a UUID is a good choice.",
  },
  version_unknown: {
    why: "The date in X-Service-Version is not a version of this API.",
    remedy: "Send one of known_versions, or omit the header to use the oldest version.",
  },
  bad_request: {
    why: "The request is not valid HTTP (a header, the path or the length is malformed), or it did not arrive completely in time.",
    remedy: "Send it with an HTTP library, which writes headers, path and length correctly.",
  },
  payload_too_large: {
    why: "The body is larger than the path takes, which `detail` says: mostly 256 KiB, and 1 MiB for webhooks to sources and connectors.",
    remedy: "Send less data. Store large data elsewhere, and send a link to it.",
  },
  unsupported_media_type: {
    why: "The request has a body of a type other than JSON, or a Content-Encoding: requests to the API are not compressed. The URL of a source takes any type, and the codings gzip, deflate, br and zstd. Webhooks to connectors, forms of Slack and of OAuth are taken without a coding, and in the character set that their type names.",
    remedy:
      "Send Content-Type: application/json without Content-Encoding. To a source, use one of these codings, or none.",
  },
  method_not_allowed: {
    why: "The path exists, but does not support this method.",
    remedy: "Use one of the methods in the Allow header.",
  },
  route_not_found: {
    why: "The service has no such path.",
    remedy: "See /openapi.json for the available paths.",
  },
  not_found: {
    why: "The caller's workspace has no object with this ID, or the value is not an ID.",
    remedy: "Check the ID. For an object of another workspace, the response is 403.",
  },
  action_unknown: {
    why: "No operation and no registered contract has this name.",
    remedy: "Use a name from meta.actions. did_you_mean contains the closest name.",
  },
  validation_failed: {
    why: "Members of the body are missing or unknown, or have values that are not allowed. Types are never coerced.",
    remedy: "Correct the values that the errors list. All errors are listed together.",
  },
  event_data_invalid: {
    why: "The type of the event enforces its schema, and the data does not match it. Nothing was stored.",
    remedy:
      "Correct the values at the pointers in `errors`. To accept such data, change the type's schema, make a new version of it, or set its `enforcement` to `warn`.",
  },
  plan_stale: {
    why: "After the plan was made, an object that it changes or names was changed, so that its changes are no longer those that you saw. Nothing was changed.",
    remedy: "Make the plan again with `POST /v1/configuration/plans`, look at its changes, and apply it.",
  },
  schema_incompatible: {
    why: "The new schema could refuse data that the version accepted, or drops something that receivers rely on. `errors` contains each difference.",
    remedy: "Make a new version with `POST /v1/event-types/{name}/versions`, or keep the schema compatible.",
  },
  url_blocked: {
    why: "The URL is not https, does not resolve, or leads to an address that is not on the public internet. The reason says which.",
    remedy: "Use a public https address. On your own installation, JUNCTION_ALLOW_TARGETS allows other addresses.",
  },
  action_endpoint_failed: {
    why: "The backend of the action's contract could not be reached, responded with an error, or sent a response that does not meet the contract's success condition. The run says which.",
    remedy: "Check the run, fix the backend, then retry the action.",
  },
  action_endpoint_redirect: {
    why: "The backend responded with a redirect. Redirects are never followed, because they could send the signed call to another host.",
    remedy: "Register the redirect's target as the contract's endpoint.",
  },
  action_endpoint_timeout: {
    why: "No complete response arrived within the contract's timeout_ms. It is unknown whether the backend acted.",
    remedy: "Before you run the action again, check with the backend what happened to the run, by its run_id.",
  },
  secret_missing: {
    why: "The contract's auth refers to a secret that is not set in this environment. Nothing was sent.",
    remedy: "Set it with PUT /v1/secrets/{name}. The sandbox has its own secrets.",
  },
  secret_host_refused: {
    why: "The secret names other hosts, or names none and the contract is not of an owner or an admin. Nothing was sent.",
    remedy: "Set the secret again with PUT /v1/secrets/{name}, with its value and the hosts that it may go to.",
  },
  self_approval_forbidden: {
    why: "This action requires approval by a second person: requesters and editors cannot approve it.",
    remedy:
      "Ask another person with an approver's role. A workspace with one person can allow self-approval with the setting solo_approval.",
  },
  step_up_required: {
    why: "The workspace requires a repeated proof of identity for this action of high risk, and there is none for this decision. It counts once, for 5 minutes, in the session that made it. A key, a rule and Slack cannot make one.",
    remedy:
      "Approve it in the console, which asks for a passkey or a code. A client with a session begins with POST /v1/step-ups.",
  },
  human_approval_required: {
    why: "Only people can decide on proposals, and undo actions that needed a confirmation: in the console, or with a key that is bound to a person.",
    remedy: "Open the proposal's approve_url, or use a key of actor type user.",
  },
  already_decided: {
    why: "The proposal was already approved, rejected or canceled, or you have already approved it. Nothing was done twice.",
    remedy: "Read the proposal. Its state is the outcome.",
  },
  proposal_expired: {
    why: "The proposal's expires_at passed without a decision. Nothing ran.",
    remedy: "Request the action again.",
  },
  proposal_changed: {
    why: "The params_hash is not the proposal's, or the proposal was edited and replaced by a new one (superseded_by).",
    remedy: "Read the proposal or its replacement, review its preview, and send its params_hash.",
  },
  contract_changed: {
    why: "The action's contract was edited or deleted after the proposal was created, so the reviewed action is not what would run.",
    remedy: "Request the action again, or edit the proposal, under the current contract.",
  },
  proposer_revoked: {
    why: "The key that proposed the action was revoked, or the person it belongs to left the workspace.",
    remedy: "Request the action again with a valid credential.",
  },
  idempotency_key_reused: {
    why: "The same Idempotency-Key was used before with another method, path or body. Nothing was done.",
    remedy: "Use a new Idempotency-Key for a request with another method, path or body.",
  },
  idempotency_in_progress: {
    why: "The first request with this Idempotency-Key has no response yet.",
    remedy:
      "Repeat the request after the number of seconds in Retry-After. It receives the response to the first request.",
  },
  last_owner: {
    why: "The member is the workspace's only owner.",
    remedy: "Make another person an owner first.",
  },
  event_already_fired: {
    why: "The event was fired before it was cancelled, or it was never scheduled. Its reactions have begun.",
    remedy: "Read the event. To stop a webhook that is still pending, cancel its delivery.",
  },
  transform_cases_failed: {
    why: "The transformation makes something else of an event than one of its cases expects. Nothing was saved.",
    remedy: "Read `errors`, then correct the transformation or the case that it names.",
  },
  consumer_busy: {
    why: "Another pull of the same consumer has leased messages, and has not committed or released them yet.",
    remedy: "Wait for the seconds in Retry-After, commit or release the lease, or pull as another consumer.",
  },
  lease_lost: {
    why: "The lease has ended, and the consumer was pulled or moved since, or a backup was restored.",
    remedy: "Pull again. Messages that were not committed come again, so handle each delivery id once.",
  },
  conflict: {
    why: "The object is in a state that does not allow this operation.",
    remedy: "Read the object, then decide again.",
  },
  inbound_inactive: {
    why: "The source at this URL is disabled. The event is stored in a receipt and was not processed.",
    remedy: "Enable the source, then repeat the request or reprocess its receipt.",
  },
  inbound_processing_failed: {
    why: "The event was verified and mapped, and then an internal error occurred. The event is stored in a receipt and does not count as received.",
    remedy: "Repeat the request, as senders do automatically, or reprocess the receipt.",
  },
  internal_error: {
    why: "The service failed. The error is logged under the request_id; the response does not include details.",
    remedy: "Repeat the request with the same Idempotency-Key. If the error persists, report the request_id.",
  },
  service_unavailable: {
    why: "The service is starting, stopping or overloaded, or cannot reach its database.",
    remedy: "Repeat the request after the number of seconds in Retry-After, with the same Idempotency-Key.",
  },
};
