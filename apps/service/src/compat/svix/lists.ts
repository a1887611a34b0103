import { PAGE_BYTES, ServiceError } from "../../lib/lib.ts";
import type { Call } from "./surface.routes.ts";

const DEFAULT_LIMIT = 50;
const MOST = 250;

/** The part of a list that a call asks for: after the object of an iterator, or before it. */
export interface ListRequest {
  readonly limit: number;
  /** Undefined for the first objects. */
  readonly from: string | undefined;
  /** True for the objects that come before `from`. */
  readonly isBack: boolean;
}

export function listRequest({ query }: Call): ListRequest {
  const { limit, iterator } = query;
  const from = typeof iterator === "string" && iterator !== "" ? iterator : undefined;
  const isBack = from?.startsWith("-") === true;
  return { limit: limitOf(limit), from: isBack ? from?.slice(1) : from, isBack };
}

function limitOf(text: unknown): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST) return limit;
  const message = `must be an integer from 1 to ${MOST}`;
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/query/limit", code: "range", message }] });
}

/** The error of an iterator that leads nowhere. */
export function unknownIterator(): ServiceError {
  const message = "must be an iterator that an earlier call of this list returned";
  return new ServiceError("validation_failed", {
    errors: [{ pointer: "/query/iterator", code: "unknown", message }],
  });
}

export interface Listed<Item> {
  /** Up to one more than the limit. Of the objects before an iterator, the ones that are next to it. */
  readonly found: readonly Item[];
  idOf(item: Item): string;
  /** Returns the JSON text of an object. */
  textOf(item: Item): string;
  /** The iterator from which a search continues that stopped before it found enough. */
  readonly cutAt?: string | undefined;
  /** True if objects were left out because of their size. */
  readonly isCut?: boolean;
}

/** Returns a list as Svix answers it, as JSON text. */
export function listText<Item>({ limit, from, isBack }: ListRequest, { found, idOf, ...list }: Listed<Item>): string {
  const isMore = found.length > limit;
  const shown = isMore ? (isBack ? found.slice(-limit) : found.slice(0, limit)) : found;
  const [first, last] = [shown[0], shown.at(-1)];
  const iterator = list.cutAt ?? (last === undefined ? (from ?? null) : idOf(last));
  const prevIterator = first === undefined ? (from === undefined ? null : `-${from}`) : `-${idOf(first)}`;
  const rest = JSON.stringify({
    iterator,
    prevIterator,
    done: !isMore && list.cutAt === undefined && list.isCut !== true,
  });
  return `{"data":[${shown.map((one) => list.textOf(one)).join(",")}],${rest.slice(1)}`;
}

/** Returns the objects of a page that are not too large together; at least one. */
export function withinBytes<Item>(
  { isBack }: ListRequest,
  found: readonly Item[],
  bytesOf: (item: Item) => number,
): Pick<Listed<Item>, "found"> & { readonly isCut: boolean } {
  const nearest = isBack ? found.toReversed() : found;
  let bytes = 0;
  const end = nearest.findIndex((item, at) => (bytes += bytesOf(item)) > PAGE_BYTES && at > 0);
  if (end === -1) return { found, isCut: false };
  const kept = nearest.slice(0, end);
  return { found: isBack ? kept.toReversed() : kept, isCut: true };
}

/** Returns the values of a list in the query, repeated or separated by commas. */
export function valuesOf(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const all = (Array.isArray(value) ? value : [value]).map(String).flatMap((one) => one.split(","));
  const given = all.filter((one) => one !== "");
  return given.length === 0 ? undefined : given;
}

export function optionalText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
