const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1, roundingMode: "floor" });

/** Returns a rate from 0 to 1 as a percentage: "77.7%". Rounds down, so that "100%" means that nothing failed. */
export function rateText(rate: number): string {
  return percent.format(rate);
}
