import { isRecord } from "../../lib/lib.ts";

/** The issuer's claims about a person. */
export interface Claims {
  readonly subject: string;
  /** The id of the issuer's session; null if it sends none. */
  readonly sid: string | null;
  /** Null if the issuer sends no address, or does not say that it is verified. */
  readonly email: string | null;
  readonly name: string | null;
  /** Null if the issuer does not send the claim. */
  readonly groups: readonly string[] | null;
}

type Source = Readonly<Record<string, unknown>>;

/**
 * Matches addresses that the service accepts. Letters outside ASCII could match another address of the same letters in
 * lower case.
 */
const EMAIL = /^[!-?A-~]{1,200}@[A-Za-z0-9.-]{1,200}$/;
const MOST_EMAIL = 254;
const MOST_NAME = 100;
const MOST_TEXT = 255;

export interface ClaimSources {
  readonly idToken: Source;
  readonly userinfo: Source;
  /** The name of the claim that lists the groups. */
  readonly groupsClaim: string;
}

/**
 * Reads the ID token's claims, then those that only the userinfo response has. Returns undefined if the subject is not
 * a text of at most 255 characters.
 */
export function claimsOf({ idToken, userinfo, groupsClaim }: ClaimSources): Claims | undefined {
  const sources = [idToken, userinfo];
  const subject = claimText(idToken["sub"], MOST_TEXT);
  if (subject === null) return undefined;
  return {
    subject,
    sid: claimText(idToken["sid"], MOST_TEXT),
    email: firstOf(sources, emailOf),
    name: firstOf(sources, nameOf),
    groups: firstOf(sources, (source) => groupsOf(source, groupsClaim)),
  };
}

/** Returns true if the userinfo response may have what the ID token lacks. `groupsClaim` is null if groups set no roles. */
export function isIncomplete(idToken: Source, groupsClaim: string | null): boolean {
  return emailOf(idToken) === null || (groupsClaim !== null && groupsOf(idToken, groupsClaim) === null);
}

/** The address and its mark are of one source: another's mark says nothing about it. */
function emailOf(source: Source): string | null {
  const email = claimText(source["email"], MOST_EMAIL);
  return source["email_verified"] === true && email !== null && EMAIL.test(email) ? email : null;
}

function nameOf(source: Source): string | null {
  const names = [source["name"], [source["given_name"], source["family_name"]].filter(Boolean).join(" ")];
  for (const name of names) {
    const text = typeof name === "string" && name.isWellFormed() ? name.replaceAll(/\p{Cc}/gu, " ").trim() : "";
    if (text !== "") return Array.from(text).slice(0, MOST_NAME).join("");
  }
  return null;
}

function groupsOf(source: Source, claim: string): readonly string[] | null {
  const groups = source[claim];
  if (typeof groups === "string") return [groups];
  if (!Array.isArray(groups)) return null;
  return groups.filter((group): group is string => typeof group === "string");
}

function claimText(value: unknown, most: number): string | null {
  if (typeof value !== "string" || value === "" || value.length > most) return null;
  return value.isWellFormed() && !/\p{Cc}/u.test(value) ? value : null;
}

function firstOf<T>(sources: readonly Source[], read: (source: Source) => T | null): T | null {
  for (const source of sources) {
    const found = read(source);
    if (found !== null) return found;
  }
  return null;
}

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** The sessions that a logout token ends. At least one of `subject` and `sid` is set. */
export interface Logout {
  readonly id: string;
  readonly subject: string | null;
  readonly sid: string | null;
}

/** Reads the claims of a logout token (OpenID Connect Back-Channel Logout, section 2.4). Returns undefined if it is none. */
export function logoutOf(token: Source): Logout | undefined {
  const { events } = token;
  const isLogout = isRecord(events) && isRecord(events[LOGOUT_EVENT]) && token["nonce"] === undefined;
  const id = claimText(token["jti"], MOST_TEXT);
  const [subject, sid] = [claimText(token["sub"], MOST_TEXT), claimText(token["sid"], MOST_TEXT)];
  if (!isLogout || id === null || (subject === null && sid === null)) return undefined;
  return { id, subject, sid };
}
