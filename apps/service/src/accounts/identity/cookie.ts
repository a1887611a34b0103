// Written by hand: the package cookie, and Fastify's plugin with it, writes the attributes in another order (decision 0265).

/** The session cookie. `__Host-` binds it to this host and to https, so plain http, for a trial on one machine, has another name. */
export interface SessionCookie {
  /** The session's token that a Cookie header carries. */
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
