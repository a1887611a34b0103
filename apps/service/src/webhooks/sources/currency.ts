/**
 * The decimal places of amounts in minor units, as payment processors count them. Other currencies have two. Stripe
 * keeps two for ISK and UGX, which no longer have minor units.
 */
const PLACES: ReadonlyMap<string, number> = new Map([
  ...["BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA"].map((code) => [code, 0] as const),
  ...["PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"].map((code) => [code, 0] as const),
  ...["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"].map((code) => [code, 3] as const),
]);
const FORM = /^[A-Za-z]{3}$/;

/** Returns an ISO 4217 code in capitals; undefined for anything else. */
export function readCurrency(text: string): string | undefined {
  return FORM.test(text) ? text.toUpperCase() : undefined;
}

export function minorPlaces(currency: string | null): number {
  return PLACES.get(currency ?? "") ?? 2;
}
