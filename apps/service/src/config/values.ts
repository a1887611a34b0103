/** Parsers of the settings' values. Each throws WrongValue. The setting's `form` describes the correct values. */
import { accessSync, constants, statSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { dirname, isAbsolute, resolve } from "node:path";
import { readPublicKey } from "../connectors/settings.ts";
import { DEFAULT_LIMITS } from "../access/settings.ts";
import { MEMBER_ROLES } from "../accounts/settings.ts";
import type { MemberRole } from "../accounts/accounts.ts";
import { commaList, isLoopback, isRecord } from "../lib/lib.ts";
import {
  parseAllowTargets,
  parseEgressProxy,
  parseNameServers,
  parseNoProxy,
} from "../platform/outbound-http/outbound-http.ts";
import type { AllowEntry, EgressProxy, NameServers } from "../platform/outbound-http/outbound-http.ts";

/** A value that a setting does not accept. `part` is the wrong entry of a list, or the whole value. */
export class WrongValue extends Error {
  readonly part: string;

  constructor(part: string) {
    super("wrong value");
    this.part = part;
  }
}

export const MOST_PROCESSES = 64;
export const MOST_RETENTION_DAYS = 3650;
export const MOST_METRICS_TENANTS = 1000;
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
export const LOG_FORMATS = ["json", "text"] as const;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_MS = 365 * 24 * 3_600_000;
/** Matches host names as in RFC 1123, and underscores, which container names may have. */
const HOST_NAME = /^[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*$/;
const DIGITS_AND_DOTS = /^[\d.]+$/;

export function settingText(text: string): string {
  return text;
}

export function claimOf(text: string): string {
  return check(text, text === "loopback" || text === "any");
}

export function portOf(text: string): number {
  return integerOf(text, 0, 65_535);
}

export function retentionOf(text: string): number {
  return integerOf(text, 1, MOST_RETENTION_DAYS);
}

export function metricsTenantsOf(text: string): number {
  return integerOf(text, 0, MOST_METRICS_TENANTS);
}

export function processesOf(text: string): number {
  return text === "auto" ? availableParallelism() : integerOf(text, 1, MOST_PROCESSES);
}

/** Returns the host. An IPv6 address is returned without its brackets. */
export function hostOf(text: string): string {
  const host = /^\[(.+)\]$/.exec(text)?.[1] ?? text;
  if (isIP(host) !== 0) return host;
  return check(text, text.length <= 253 && HOST_NAME.test(text) && !DIGITS_AND_DOTS.test(text));
}

export function baseUrlOf(text: string): string {
  const url = urlOf(text, /^https?:$/);
  check(text, url.search === "" && url.hash === "" && url.username === "" && url.password === "");
  return withoutSlash(text);
}

export function databaseUrlOf(text: string): string {
  urlOf(text, /^postgres(?:ql)?:$/);
  return text;
}

export function smtpUrlOf(text: string): string {
  const url = urlOf(text, /^smtps?:$/);
  return check(text, url.hostname !== "" && /^\/?$/.test(url.pathname));
}

/** Returns the collector's address without a slash at the end, because paths are appended to it. */
export function collectorOf(text: string): string {
  return withoutSlash(urlOf(text, /^https?:$/).href);
}

/** Returns the issuer as it was written, because its tokens contain exactly that. Plain http is for this machine only. */
export function issuerOf(text: string): string {
  const url = urlOf(text, /^https?:$/);
  check(text, url.search === "" && url.hash === "" && url.username === "" && url.password === "");
  return check(text, url.protocol === "https:" || isLoopback(url.hostname));
}

export function groupRolesOf(text: string): Record<string, MemberRole> {
  const given = jsonOf(text);
  if (!isRecord(given) || Array.isArray(given) || Object.keys(given).length === 0) throw new WrongValue(text);
  for (const [group, role] of Object.entries(given))
    check(JSON.stringify({ [group]: role }), group !== "" && MEMBER_ROLES.some((one) => one === role));
  return given as Record<string, MemberRole>;
}

/** The name of a claim at the top: letters, digits, and marks that issuers use in names, or a URL. */
export function claimNameOf(text: string): string {
  return check(text, text.length <= 200 && /^(?:[\w:-]+|https?:\/\/[!-~]+)$/.test(text));
}

export function tokenOf(text: string): string {
  return check(text, /^[!-~]+$/.test(text));
}

export function mailFromOf(text: string): string {
  return check(text, isSender(text));
}

export function isSender(text: string): boolean {
  return /^[^\s<>@,;:]+@[A-Za-z0-9.-]+$/.test(text);
}

export function tlsOf(text: string): "required" | "optional" {
  return oneOf(text, ["required", "optional"]);
}

export function keyOf(text: string): Buffer {
  check(text, /^[A-Za-z0-9+/_-]{43}=?$/.test(text));
  return Buffer.from(text, "base64");
}

export function keysOf(text: string): Buffer[] {
  return listOf(text).map(keyOf);
}

export function trustOf(text: string): Uint8Array[] {
  return each(text, readPublicKey);
}

export function rolesOf(text: string): { readonly api: boolean; readonly worker: boolean } {
  const roles = each(text, (role) => oneOf(role, ["api", "worker"]));
  return { api: roles.includes("api"), worker: roles.includes("worker") };
}

export function durationsOf(text: string): number[] {
  return each(text, durationOf);
}

/** Parses durations such as `90s`, `5m`, `2h` and `250ms`. */
export function durationOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  const ms = Number(match?.[1]) * (UNITS[match?.[2] ?? ""] ?? Number.NaN);
  if (!(ms <= LONGEST_MS)) throw new WrongValue(text);
  return ms;
}

export function allowTargetsOf(text: string): AllowEntry[] {
  return each(text, parseAllowTargets).flat();
}

export function proxiesOf(text: string): string[] {
  return each(text, (entry) => {
    // A range of every address would trust every sender.
    const isRange = parseAllowTargets(entry).every(({ prefix, port }) => port === null && prefix > 0);
    return check(entry, isRange);
  });
}

export function nameServersOf(text: string): NameServers {
  each(text, parseNameServers);
  return parseNameServers(text);
}

export function egressProxyOf(text: string): EgressProxy {
  try {
    return parseEgressProxy(text);
  } catch {
    throw new WrongValue(text);
  }
}

export function noProxyOf(text: string): string[] {
  each(text, parseNoProxy);
  return parseNoProxy(text);
}

export function limitsOf(text: string): Record<string, number> {
  const given = jsonOf(text);
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new WrongValue(text);
  for (const [name, limit] of Object.entries(given))
    check(
      JSON.stringify({ [name]: limit }),
      Object.hasOwn(DEFAULT_LIMITS, name) && Number.isInteger(limit) && limit > 0,
    );
  return { ...DEFAULT_LIMITS, ...given };
}

export function levelOf(text: string): string {
  return oneOf(text, LOG_LEVELS);
}

export function formatOf(text: string): (typeof LOG_FORMATS)[number] {
  return oneOf(text, LOG_FORMATS);
}

export function programOf(text: string): string {
  return check(text, isAbsolute(text) && kindOf(text) === "file" && isExecutable(text));
}

/** Accepts a folder that exists or can be created: its nearest existing ancestor must be a folder. */
export function folderOf(text: string): string {
  return check(text, kindOf(nearest(resolve(text))) === "folder");
}

export function foldersOf(text: string): string[] {
  return each(text, folderOf);
}

/** Accepts a file that exists or can be created. */
export function fileOf(text: string): string {
  folderOf(dirname(resolve(text)));
  return check(text, kindOf(text) !== "folder");
}

/** Throws for an empty list, because "none" is not what an absent setting means. */
function listOf(text: string): string[] {
  const parts = commaList(text);
  if (parts.length === 0) throw new WrongValue(text);
  return parts;
}

/** Reads each entry of a list, and names the one that cannot be read. */
function each<Value>(text: string, read: (entry: string) => Value): Value[] {
  return listOf(text).map((entry) => {
    try {
      return read(entry);
    } catch {
      throw new WrongValue(entry);
    }
  });
}

function check(text: string, isRight: boolean): string {
  if (!isRight) throw new WrongValue(text);
  return text;
}

function integerOf(text: string, least: number, most: number): number {
  const number = Number(text);
  check(text, /^\d{1,9}$/.test(text) && number >= least && number <= most);
  return number;
}

function oneOf<Name extends string>(text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new WrongValue(text);
  return found;
}

function urlOf(text: string, protocol: RegExp): URL {
  const url = URL.parse(text);
  if (url === null || !protocol.test(url.protocol)) throw new WrongValue(text);
  return url;
}

function withoutSlash(text: string): string {
  return text.replace(/(?<!\/)\/+$/, "");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongValue(text);
  }
}

function kindOf(path: string): "folder" | "file" | "missing" {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch (error) {
    // An inaccessible path is not missing. The code that uses it reports the missing permission.
    return error instanceof Error && "code" in error && error.code === "EACCES" ? "folder" : "missing";
  }
}

function nearest(path: string): string {
  const parent = dirname(path);
  return kindOf(path) === "missing" && parent !== path ? nearest(parent) : path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
