/** Why a sign-in by OpenID Connect failed. The console's sign-in page has a text for each. */
export type OidcFailure =
  /** The issuer did not answer, or its metadata cannot be used. */
  | "issuer_unreachable"
  /** The person or the issuer ended the sign-in. */
  | "denied"
  /** The sign-in took too long, was used before, or began in another browser. */
  | "expired"
  /** The response of the issuer failed a check. */
  | "not_verified"
  /** The issuer did not say that it has verified the e-mail address. */
  | "email_unverified"
  /** The person has no account here, no invitation, and no group with a role. */
  | "no_account"
  /** The account of the e-mail address belongs to another account of the issuer. */
  | "other_account"
  /** Groups set roles, and the issuer sent none. */
  | "groups_missing"
  /** The invitation has ended, or is for another e-mail address. */
  | "invitation_invalid"
  /** The account exists and is not linked. The person confirms the link on a page of this site. */
  | "confirm_link"
  /** Too many sign-ins came from one network. */
  | "too_many";

/** A sign-in that failed. `detail` is for the log, and contains no token and no code. */
export class OidcRefusal extends Error {
  readonly failure: OidcFailure;

  constructor(failure: OidcFailure, detail: string) {
    super(detail);
    this.failure = failure;
  }
}
