import { isReadable, isRecord } from "../../lib/lib.ts";
import { OAuthError } from "./oauth-error.ts";
import { isRedirectUri } from "./redirect-uri.ts";

/** An app that members can connect. */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host of the document that describes the app. Null for an app that registered itself, about which nothing is verified. */
  readonly host: string | null;
}

const MOST_URIS = 10;
const MOST_NAME = 80;
const UNNAMED = "Unnamed app";

/**
 * Reads the metadata of a client (RFC 7591, section 2). All clients are public: they prove themselves by PKCE. Throws
 * invalid_redirect_uri or invalid_client_metadata.
 */
export function clientMetadata(value: unknown): Pick<OAuthClient, "name" | "redirectUris"> {
  if (!isRecord(value)) throw invalid("The metadata must be a JSON object.");
  const { redirect_uris: uris } = value;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MOST_URIS)
    throw new OAuthError("invalid_redirect_uri", `redirect_uris must contain 1 to ${MOST_URIS} URIs.`);
  const redirectUris = uris.map((uri: unknown) => {
    if (typeof uri === "string" && isRedirectUri(uri)) return uri;
    throw new OAuthError(
      "invalid_redirect_uri",
      "A redirect URI must be https, or http on localhost, without a fragment.",
    );
  });
  assertIncludes(value["grant_types"], "authorization_code", "grant_types");
  assertIncludes(value["response_types"], "code", "response_types");
  return { name: nameOf(value["client_name"]), redirectUris };
}

/** Returns the name without characters that a person does not see, or that change the order of the others. */
function nameOf(value: unknown): string {
  if (value !== undefined && typeof value !== "string") throw invalid("client_name must be a string.");
  const shown = (value ?? "").replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{DI}\s]+/gu, " ").trim();
  return !isReadable(shown) ? UNNAMED : Array.from(shown).slice(0, MOST_NAME).join("");
}

function assertIncludes(list: unknown, wanted: string, name: string): void {
  if (list === undefined || (Array.isArray(list) && list.includes(wanted))) return;
  throw invalid(`${name} must include ${wanted}.`);
}

function invalid(description: string): OAuthError {
  return new OAuthError("invalid_client_metadata", description);
}
