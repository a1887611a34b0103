import { locate, readPath } from "../../lib/lib.ts";
import type { Hidden, ScannedJson, Steps } from "../../lib/lib.ts";
import { MAX_ELEMENTS } from "./map-request.ts";
import { readPlaceholders } from "./placeholders.ts";
import type { SentRequest } from "./placeholders.ts";
import { onceOf } from "./proof.ts";
import type { Scheme } from "./scheme.ts";
import { isSigning } from "./verifier.ts";
import type { Verifier } from "./verifier.ts";

/** How a request is proven whose list's elements are events. */
interface ListProof {
  readonly scheme: Scheme;
  readonly mapping: { readonly each: string | null };
}

/**
 * Returns true if every element of the list has a proof of its own, or needs none (contract, section 13). What proves the first says
 * nothing about the others, which anyone who recorded it could have added. The first one's is known to be right.
 */
export async function areElementsProven(
  verifier: Verifier,
  proof: ListProof & { readonly secrets: readonly Hidden[] },
  request: SentRequest,
): Promise<boolean> {
  for (const one of (await elementRequests(proof, request)).slice(1))
    if ((await verifier.verify(proof.scheme, proof.secrets, one())) !== "valid") return false;
  return true;
}

/** Returns the hash of what each element proves, which counts once; undefined where the proof is the request's. */
export async function elementOnces(
  proof: ListProof,
  request: SentRequest,
): Promise<readonly (Buffer | null)[] | undefined> {
  const { scheme } = proof;
  const requests = await elementRequests(proof, request);
  if (requests.length === 0) return undefined;
  return requests.map((one) => (isSigning(scheme) ? onceOf(scheme, one()) : null));
}

/** Returns the request as if each element were the first; nothing where the proof does not stand in the elements. */
async function elementRequests({ scheme, mapping }: ListProof, request: SentRequest): Promise<(() => SentRequest)[]> {
  const path = readPath(mapping.each ?? "");
  if (path === undefined || !standsIn(scheme, [...path.steps, 0])) return [];
  const json = await request.json();
  const list = json === undefined ? undefined : locate(json.value, path.steps);
  // No element of a longer list becomes an event.
  if (json === undefined || !Array.isArray(list?.value) || list.value.length > MAX_ELEMENTS) return [];
  const elements: readonly unknown[] = list.value;
  const shown: unknown[] = [];
  const value = withList(json.value, list.at, shown);
  return elements.map((element, index) => () => {
    shown[0] = element;
    const place = list.at.length;
    const isInside = (at: Steps): boolean => at.length > place && list.at.every((step, depth) => at[depth] === step);
    const slice: ScannedJson["slice"] = (at, budget) => json.slice(isInside(at) ? at.with(place, index) : at, budget);
    return { ...request, head: () => ({ ...json, value, slice }) };
  });
}

/** The members of a scheme that are paths in the body. */
const PATHS = ["path", "signature_path", "timestamp_path"] as const;

/** Returns true if a scheme reads something of the first element. */
function standsIn(scheme: Scheme, first: Steps): boolean {
  const texts = scheme as Partial<Record<(typeof PATHS)[number] | "signed", string>>;
  const paths = PATHS.map((name) => readPath(texts[name] ?? "")?.steps ?? []);
  const signed = (readPlaceholders(texts.signed ?? "") ?? []).map((part) =>
    typeof part === "string" ? [] : part.steps,
  );
  return [...paths, ...signed].some((steps) => first.every((step, depth) => steps[depth] === step));
}

/** Returns a value with another list at a place that it has. */
function withList(value: unknown, at: Steps, list: unknown[]): unknown {
  const [step, ...rest] = at;
  if (step === undefined) return list;
  if (Array.isArray(value))
    return value.map((one: unknown, index) => (index === step ? withList(one, rest, list) : one));
  const members = Object.entries(value as object);
  return Object.fromEntries(members.map(([name, one]) => [name, name === step ? withList(one, rest, list) : one]));
}
