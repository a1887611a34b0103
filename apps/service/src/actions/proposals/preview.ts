import { spelled } from "../../lib/lib.ts";
import type { Environment } from "../../lib/lib.ts";
import type { Contract } from "../contracts/contract.ts";
import type { Preview } from "./proposals.schemas.ts";

export const MASK = "••••••";
const MAX_TEXT = 200;
const MAX_VALUE = 500;

/**
 * Characters that can hide, reorder or break up text: controls, line ends, soft hyphens, zero widths, direction marks,
 * tags, variation selectors, private use and unassigned characters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/gu;

type PreviewValue = Pick<
  Contract,
  "key" | "version" | "label" | "params" | "endpoint" | "sandbox_endpoint" | "risk" | "destructive" | "reversible"
>;

/**
 * Builds the preview that a person sees before deciding. It is built only from the contract and the redacted parameters in
 * `shown`, never from the words of an AI or a prompt.
 */
export function previewOf(
  contract: PreviewValue,
  context: { readonly shown: Readonly<Record<string, unknown>>; readonly environment: Environment },
): Preview {
  const host = hostOf(contract, context.environment);
  const { risk, reversible } = contract;
  return {
    title: visible(contract.label, MAX_TEXT),
    summary: summaryOf(contract, host),
    fields: fieldsOf(contract, context.shown),
    risk,
    target_host: host,
    reversible,
  };
}

/** Returns text without hidden parts: invisible characters are written as `\u{202e}`, and long text is truncated. */
export function visible(text: string, max: number): string {
  const points = Array.from(text);
  const head = points.length > max ? points.slice(0, max).join("") : text;
  const seen = head.replaceAll(UNSEEN, spelled);
  return points.length > max ? `${seen}… (${points.length} characters)` : seen;
}

function summaryOf({ key, version, destructive, risk, reversible }: PreviewValue, host: string | null): string {
  const what =
    host === null ? `Simulates ${key}: your backend is not called.` : `Runs ${key} (version ${version}) at ${host}.`;
  const nature = destructive ? "Destructive, " : "";
  const words = `${nature}${risk} risk, ${reversible ? "can be undone" : "cannot be undone"}.`;
  return `${what} ${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function hostOf(
  { endpoint, sandbox_endpoint: sandboxEndpoint }: PreviewValue,
  environment: Environment,
): string | null {
  const url = environment === "live" ? endpoint : sandboxEndpoint;
  return url === null ? null : new URL(url).host;
}

/** Returns the fields in the contract's order. A sensitive value does not even show its length. */
function fieldsOf({ params }: PreviewValue, shown: Readonly<Record<string, unknown>>): Preview["fields"] {
  return Object.entries(params).flatMap(([name, spec]): Preview["fields"] => {
    if (!Object.hasOwn(shown, name)) return [];
    const description = visible(spec.description, MAX_TEXT);
    if (spec.sensitive) return [{ name, description, value: MASK, masked: true }];
    return [{ name, description, value: visible(valueText(shown[name]), MAX_VALUE), masked: false }];
  });
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
