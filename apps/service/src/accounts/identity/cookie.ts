// This does not use the package cookie, nor Fastify's plugin, because they write the attributes in another order
// (decision 0265).

/**
 * The session cookie. `__Host-` binds it to this host and to https, so it has another name on plain http, for local
 * trials.
 */
export interface SessionCookie {
  /** Returns the session token in a Cookie header. */
  read(header: string | undefined): string | undefined;
  set(token: string, maxAgeSeconds: number): string;
  clear(): string;
}

export function createSessionCookie(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith("https:");
  const name = isSecure ? "__Host-junction_session" : "junction_session";
  const flags = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return {
    read(header) {
      const pairs = (header ?? "").split(";").map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    },
    set: (token, maxAgeSeconds) => `${name}=${token}; Max-Age=${maxAgeSeconds}; ${flags}`,
    clear: () => `${name}=; Max-Age=0; ${flags}`,
  };
}
