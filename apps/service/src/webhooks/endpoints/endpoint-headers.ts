import { resultOf, ServiceError } from "../../lib/lib.ts";
import type { Sealer } from "../../lib/lib.ts";
import type { EndpointChange, EndpointRow } from "./endpoints.store.ts";
import { hasHeaders, headersPlace, meantHeaders, openHeaders, sealHeaders } from "../requests/header-values.ts";
import type { HeaderValues } from "../requests/header-values.ts";

const NONE: HeaderValues = new Map();

/** Returns the columns of a new endpoint's headers. */
export function sealedHeaders(
  sealer: Sealer,
  id: string,
  headers: Readonly<Record<string, string>>,
): ReturnType<typeof sealHeaders> {
  return sealHeaders(sealer, headersPlace(id), meantOrRefuse(headers, NONE));
}

function meantOrRefuse(given: Readonly<Record<string, string>>, kept: HeaderValues): HeaderValues {
  const { values, violations } = meantHeaders(given, kept, []);
  if (violations.length > 0) throw new ServiceError("validation_failed", { errors: violations });
  return values;
}

/**
 * Returns the columns of the headers. Values belong to the URL they were entered for: another URL needs them again. Otherwise a developer
 * could point an endpoint at an address of their own and receive a credential that only owners may see.
 */
export function headersOf(
  { sealer }: { readonly sealer: Sealer },
  { held, present }: { readonly held: EndpointRow; readonly present: string },
  { url, headers }: { readonly url?: string; readonly headers?: Record<string, string> },
): EndpointChange {
  const isElsewhere = url !== undefined && url !== present;
  if (headers === undefined) {
    if (isElsewhere && hasHeaders(held.headers)) throw notSentAgain();
    return {};
  }
  const place = headersPlace(held.id);
  const opened = isElsewhere ? NONE : resultOf(() => openHeaders(sealer, place, held));
  return sealHeaders(sealer, place, meantOrRefuse(headers, opened instanceof Error ? NONE : opened));
}

function notSentAgain(): ServiceError {
  const message =
    "must be sent together with a new URL: stored values are sent only to the current URL. Send the values again, or {} for no headers";
  return new ServiceError("validation_failed", {
    errors: [{ pointer: "/headers", code: "header_values_required", message }],
  });
}
