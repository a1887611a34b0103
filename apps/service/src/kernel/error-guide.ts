import type { ErrorCode } from "../lib/error-catalogue.ts";

export interface ErrorAdvice {
  /** When the service answers so. */
  readonly why: string;
  /** What the caller does about it; the `detail` of a refusal that has none of its own. */
  readonly remedy: string;
}

const CHECK_KEY = "Check that the key was copied whole, and that it belongs to this installation.";
const SIGN = "Sign the bytes as they are sent, as the guide on request signing shows; the SDKs do it for you.";

/** What the documentation says of each code, beside its title. */
export const errorGuide: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  credentials_missing: {
    why: "The request names no API key, and what it asks for is not public.",
    remedy: "Send Authorization: Bearer <API key>.",
  },
  key_invalid: {
    why: "No key has this text. A mistyped key is told by its checksum, without a look into the database.",
    remedy: CHECK_KEY,
  },
  key_revoked: {
    why: "Somebody revoked the key. Revocation takes effect at once, on every node.",
    remedy: "Use another key of the workspace, or have an owner or admin make one.",
  },
  key_expired: {
    why: "The key's expires_at has passed.",
    remedy: "Have an owner or admin make a new key, or roll keys before they expire.",
  },
  signature_invalid: {
    why: "X-Service-Signature was sent and matches neither scheme: other bytes, another secret, or another form than 64 lower-case hexadecimal digits. Or an inbound event came without a signature that its source's scheme and secret make.",
    remedy: SIGN,
  },
  signature_required: {
    why: "The key has require_signature, and the request came without X-Service-Signature.",
    remedy: "Send X-Service-Signature and X-Service-Timestamp.",
  },
  timestamp_missing: {
    why: "A signed request came without X-Service-Timestamp, so that its age is unknown.",
    remedy: "Send X-Service-Timestamp, in Unix seconds, and sign it with the request.",
  },
  timestamp_invalid: {
    why: "X-Service-Timestamp is not a whole number of Unix seconds. Thirteen digits are milliseconds.",
    remedy: "Send the time in whole seconds.",
  },
  timestamp_out_of_range: {
    why: "X-Service-Timestamp is more than 300 seconds from the server's time; server_time says what that is.",
    remedy: "Set the caller's clock, and sign each attempt anew.",
  },
  sign_in_failed: {
    why: "No person with this e-mail address has this password, or the second factor is wrong.",
    remedy: "Check them and try again, or have an owner make a link to choose a new password.",
  },
  totp_required: {
    why: "E-mail and password are right, and the account has a second factor.",
    remedy: "Sign in again with totp_code: six digits of the app, or a recovery code.",
  },
  session_invalid: {
    why: "The session was ended, expired, or was idle for too long.",
    remedy: "Sign in again.",
  },
  invitation_invalid: {
    why: "The invitation is unknown, was accepted or revoked, or is older than 7 days.",
    remedy: "Have an owner or admin invite you again.",
  },
  reset_link_invalid: {
    why: "The link is unknown, was used, was replaced by a newer one, or is older than a day.",
    remedy: "Have an owner make a new one.",
  },
  setup_link_invalid: {
    why: "The one-time link is unknown, was used, or is older than 30 minutes.",
    remedy: "Restart the service: it prints a new link while the installation has no owner.",
  },
  workspace_mismatch: {
    why: "An id in the request carries another workspace's tag. It is refused before any data is read, whether or not the object exists.",
    remedy: "Use a key of the workspace to which the object belongs.",
  },
  environment_mismatch: {
    why: "An id in the request belongs to the sandbox and the key is a live one, or the other way round.",
    remedy: "Use the workspace's key of the other environment.",
  },
  action_blocked: {
    why: "The key is in Restricted mode, and its list blocks this operation by name or by wildcard.",
    remedy: "Use another key, or have an owner or admin change the key's blocked_actions.",
  },
  key_read_only: {
    why: "The key is in Read-only mode, and the operation writes.",
    remedy: "Use a key that may write.",
  },
  role_not_allowed: {
    why: "The operation is for other roles than the one this key acts as.",
    remedy: "Use a key of one of the roles that the detail names.",
  },
  scope_missing: {
    why: "The key is limited to scopes, and none of them covers this operation.",
    remedy: "Use a key with the scope <area>:read or <area>:write of this operation.",
  },
  surface_not_allowed: {
    why: "The action's contract does not list the surface through which it was called.",
    remedy: "Call it through one of the surfaces in its contract, or have the contract changed.",
  },
  permission_required: {
    why: "The action's contract asks for an operator permission that the caller lacks, or a key was to be given one that its maker lacks.",
    remedy: "Have an owner give the key or the person this permission.",
  },
  ip_not_allowed: {
    why: "The key has an allowlist, and the request came from an address outside of it.",
    remedy: "Call from an allowed address, or have the key's ip_allowlist changed.",
  },
  csrf_token_invalid: {
    why: "A console session wrote without X-CSRF-Token, or with another session's.",
    remedy: "Send the csrf_token that signing in answered.",
  },
  origin_not_allowed: {
    why: "The request has an Origin header: a web page sent it, and not one of this installation.",
    remedy: "Connect from a program, which sends no Origin, or from a page of the installation's own address.",
  },
  rate_limited: {
    why: "The key has made as many calls as its limit allows in a minute or an hour.",
    remedy: "Wait for the seconds in Retry-After; the call then succeeds.",
  },
  too_many_streams: {
    why: "So many listen to the workspace's news that no further stream is opened.",
    remedy: "Close streams that nobody reads, or share one among the parts of a page; then try again.",
  },
  too_many_auth_failures: {
    why: "Too many requests with wrong credentials came from this address, or for this key.",
    remedy: "Correct the credential, and wait for the seconds in Retry-After.",
  },
  malformed_json: {
    why: "The body is not JSON, not UTF-8, nested deeper than 64 levels, or has a name twice in one object.",
    remedy: "Send one well-formed JSON text in UTF-8.",
  },
  query_invalid: {
    why: "The query has a parameter that this path does not know, or a value it does not take.",
    remedy: "Correct what the errors name.",
  },
  cursor_invalid: {
    why: "The cursor was changed, or belongs to another list, workspace or filter.",
    remedy: "Use next_cursor as it came, with the same filters; begin again without one.",
  },
  idempotency_key_invalid: {
    why: "The Idempotency-Key is empty, longer than 255 characters, or has others than visible ASCII.",
    remedy: "Send 1 to 255 visible ASCII characters; a UUID is a good choice.",
  },
  version_unknown: {
    why: "X-Service-Version names a date that is no version of this API.",
    remedy: "Send one of known_versions, or leave the header out for the oldest.",
  },
  bad_request: {
    why: "What arrived is not a request that HTTP allows: a broken header, path or length, or it did not arrive whole in time.",
    remedy: "Send it with an HTTP library, which writes these by itself.",
  },
  payload_too_large: {
    why: "The body is larger than 256 KiB, or 1 MiB for inbound webhooks.",
    remedy: "Send less; put large data elsewhere and send where it is.",
  },
  unsupported_media_type: {
    why: "The request has a body of another type than JSON.",
    remedy: "Send Content-Type: application/json.",
  },
  method_not_allowed: {
    why: "The path exists, but not for this method.",
    remedy: "Use one of the methods in the Allow header.",
  },
  route_not_found: {
    why: "The service has no such path.",
    remedy: "See /openapi.json for the paths there are.",
  },
  not_found: {
    why: "The caller's workspace has no object with this id, or what was sent is no id.",
    remedy: "Check the id. An object of another workspace would have been refused with 403.",
  },
  action_unknown: {
    why: "Neither an operation nor a registered contract has this name.",
    remedy: "Take a name from meta.actions; did_you_mean holds the nearest.",
  },
  validation_failed: {
    why: "Members of the body are missing, unknown, or have values that are not allowed. Types are never coerced.",
    remedy: "Correct what the errors name; all of them are listed at once.",
  },
  url_blocked: {
    why: "The URL is not https, does not resolve, or leads to an address that is not on the public internet. The reason says which.",
    remedy: "Use a public https address. On your own installation, JUNCTION_ALLOW_TARGETS allows others.",
  },
  action_endpoint_failed: {
    why: "The backend of the action's contract could not be reached, answered with an error, or with something that its contract does not take for a success. The run says which.",
    remedy: "Look at the run, mend the backend, and run the action again.",
  },
  action_endpoint_redirect: {
    why: "The backend answered with a redirect. Redirects are never followed: they could lead the signed call elsewhere.",
    remedy: "Register the address that the redirect leads to as the contract's endpoint.",
  },
  action_endpoint_timeout: {
    why: "No whole answer came within the contract's timeout_ms. Whether the backend acted is unknown.",
    remedy: "Ask the backend what became of the run, by its run_id, before the action is run again.",
  },
  secret_missing: {
    why: "The contract's auth names a secret that nobody has set in this environment. Nothing was sent.",
    remedy: "Set it with PUT /v1/secrets/{name}. The sandbox has secrets of its own.",
  },
  self_approval_forbidden: {
    why: "The action wants four eyes: whoever asked for it, or edited the proposal, cannot approve it.",
    remedy:
      "Ask another person with an approver's role. A workspace of one person can allow it with the setting solo_approval.",
  },
  human_approval_required: {
    why: "Only people decide on proposals and take actions back that needed a confirmation: at the console, or with a key that is bound to a person.",
    remedy: "Open the proposal's approve_url, or use a key of actor type user.",
  },
  already_decided: {
    why: "Somebody approved, rejected or cancelled the proposal before, or you approved it already. Nothing was done twice.",
    remedy: "Read the proposal: its state says what became of it.",
  },
  proposal_expired: {
    why: "Nobody decided before the proposal's expires_at. Nothing ran.",
    remedy: "Ask for the action again.",
  },
  proposal_changed: {
    why: "The params_hash is not the proposal's, or it was edited: a new proposal, superseded_by, stands in its place.",
    remedy: "Read the proposal, or the one in its place, look at its preview, and send its params_hash.",
  },
  contract_changed: {
    why: "The action's contract was edited or deleted after the proposal was made, so what was looked at is not what would run.",
    remedy: "Ask for the action again, or edit the proposal, under the contract as it is now.",
  },
  proposer_revoked: {
    why: "The key that proposed the action was revoked, or the person behind it has left the workspace.",
    remedy: "Ask for the action again with a credential that is valid.",
  },
  idempotency_key_reused: {
    why: "The same Idempotency-Key came before with another method, path or body. Nothing was done.",
    remedy: "Use a new Idempotency-Key for a request with another method, path or body.",
  },
  idempotency_in_progress: {
    why: "The first request with this Idempotency-Key has no answer yet.",
    remedy: "Repeat the request after the seconds in Retry-After: it gets the first one's answer.",
  },
  last_owner: {
    why: "The member is the workspace's only owner.",
    remedy: "Make somebody else an owner first.",
  },
  conflict: {
    why: "The object is in a state that does not allow this.",
    remedy: "Read the object, and decide anew.",
  },
  inbound_inactive: {
    why: "The inbound endpoint that the URL names is switched off. The event is kept in a receipt and was not processed.",
    remedy: "Switch the inbound endpoint on, then repeat the request or reprocess its receipt.",
  },
  inbound_processing_failed: {
    why: "The event was signed and mapped, and something failed on our side. It is kept in a receipt and does not count as seen.",
    remedy: "Repeat the request, as senders do by themselves, or reprocess the receipt.",
  },
  internal_error: {
    why: "The service has a fault. It is logged under the request_id; nothing of it is shown.",
    remedy: "Repeat the request with the same Idempotency-Key; if it stays, report the request_id.",
  },
  service_unavailable: {
    why: "The service is starting, stopping or overloaded, or cannot reach its database.",
    remedy: "Repeat the request after the seconds in Retry-After, with the same Idempotency-Key.",
  },
};
