const number = new Intl.NumberFormat("en");

/** Returns a number that was counted up to a limit: "10,000+". */
export function countText({ count, capped }: { readonly count: number; readonly capped: boolean }): string {
  return `${number.format(count)}${capped ? "+" : ""}`;
}
