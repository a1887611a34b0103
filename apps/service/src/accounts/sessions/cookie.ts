// This does not use the package cookie, nor Fastify's plugin, because they write the attributes in another order
// (decision 0265).

/**
 * A cookie of this host. `__Host-` binds it to this host and to https, so it has another name on plain http, for local
 * trials.
 */
export interface Cookie {
  /** Returns the value in a Cookie header. */
  read(header: string | undefined): string | undefined;
  set(value: string, maxAgeSeconds: number): string;
  clear(): string;
}

/** Creates the cookie of a session's token. No request that another site caused sends it. */
export function createSessionCookie(baseUrl: string): Cookie {
  return createCookie(baseUrl, "junction_session", "Strict");
}

/** Creates a cookie. With `Lax`, the browser also sends it when another site, such as an issuer, leads back to this one. */
export function createCookie(baseUrl: string, bareName: string, sameSite: "Strict" | "Lax"): Cookie {
  const isSecure = baseUrl.startsWith("https:");
  const name = isSecure ? `__Host-${bareName}` : bareName;
  const flags = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
  return {
    read(header) {
      const pairs = (header ?? "").split(";").map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    },
    set: (value, maxAgeSeconds) => `${name}=${value}; Max-Age=${maxAgeSeconds}; ${flags}`,
    clear: () => `${name}=; Max-Age=0; ${flags}`,
  };
}
