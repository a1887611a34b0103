/** The codes of RFC 6749, 7591 and 8707 that this server uses. */
export type OAuthErrorCode =
  | "access_denied"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "temporarily_unavailable"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A refusal in the format of OAuth: `error` and `error_description`. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: OAuthErrorCode,
    description: string,
    more: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(description);
    this.code = code;
    this.status = more.status ?? 400;
    this.headers = more.headers ?? {};
  }
}
