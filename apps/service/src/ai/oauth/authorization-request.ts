import type { OAuthAddresses } from "./addresses.ts";
import { OAuthError } from "./oauth-error.ts";
import { requestedScopes } from "./scopes.ts";
import type { t } from "../../lib/lib.ts";
import type * as shapes from "./connected-apps.schemas.ts";

/** The parameters of an authorization request, as a client sent them. */
export type AuthorizationRequest = t.Static<typeof shapes.ReviewBody>;

export const PARAMETERS = [
  "client_id",
  "redirect_uri",
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "scope",
  "state",
  "resource",
] as const satisfies readonly (keyof AuthorizationRequest)[];

const MOST_STATE = 2000;
const CHALLENGE = /^[\w-]{43}$/;

/** Reads the parameters of a query. Throws for a parameter that occurs twice, of which two programs may read two values. */
export function parametersOf(query: URLSearchParams): AuthorizationRequest {
  const found = Object.fromEntries(
    PARAMETERS.flatMap((name) => {
      const values = query.getAll(name);
      if (values.length > 1) throw new OAuthError("invalid_request", `The parameter ${name} occurs more than once.`);
      return values.map((value) => [name, value] as const);
    }),
  );
  return { client_id: "", redirect_uri: "", ...found };
}

/**
 * Checks what does not depend on the client, and returns the requested scopes.
 */
export function assertAuthorizable(request: AuthorizationRequest, { resource }: OAuthAddresses): readonly string[] {
  if ((request.state ?? "").length > MOST_STATE)
    throw new OAuthError("invalid_request", `The state is longer than ${MOST_STATE} characters.`);
  if (request.response_type !== "code")
    throw new OAuthError("unsupported_response_type", "The response_type must be code.");
  if (request.code_challenge_method !== "S256" || !CHALLENGE.test(request.code_challenge ?? ""))
    throw new OAuthError("invalid_request", "PKCE is required: a code_challenge with the code_challenge_method S256.");
  if (request.resource !== resource) throw new OAuthError("invalid_target", `The resource must be ${resource}.`);
  return requestedScopes(request.scope);
}
