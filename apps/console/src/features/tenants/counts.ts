import { numberText } from "../../shared/shared.ts";

/** Returns a number that was counted up to a limit: "10,000+". */
export function countText({ count, capped }: { readonly count: number; readonly capped: boolean }): string {
  return `${numberText(count)}${capped ? "+" : ""}`;
}
