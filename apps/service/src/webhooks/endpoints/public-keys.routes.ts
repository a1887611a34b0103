import type { App } from "../../accounts/accounts.ts";
import type { PublicKeys } from "./public-keys.ts";

/** Registers the public keys of `v1a` signatures. The format is that of RFC 7517, so the OpenAPI document does not list it. */
export function publicKeyRoutes(app: App, { keySet }: PublicKeys): void {
  app.get(
    "/.well-known/jwks.json",
    { config: { callers: "public", rawBody: true }, schema: { hide: true } },
    async (request, reply) => {
      const { searchParams } = new URL(request.url, "http://service");
      const keys = await keySet(searchParams.get("endpoint_id"));
      return await reply
        .header("Cache-Control", "public, max-age=60")
        .header("Access-Control-Allow-Origin", "*")
        .type("application/jwk-set+json")
        .send(JSON.stringify(keys));
    },
  );
}
