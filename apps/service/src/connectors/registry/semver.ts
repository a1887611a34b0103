export const VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$/;

/**
 * Returns a negative number, zero or a positive number, in the order of versions (Semantic Versioning 2.0.0, section
 * 11).
 */
export function compareVersions(a: string, b: string): number {
  const [coreA, preA] = partsOf(a);
  const [coreB, preB] = partsOf(b);
  const byCore = firstDifference(coreA.length, (at) => Number(coreA[at]) - Number(coreB[at]));
  if (byCore !== 0) return byCore;
  // A release comes after its pre-releases.
  if (preA.length === 0 || preB.length === 0) return preB.length - preA.length;
  const common = Math.min(preA.length, preB.length);
  return firstDifference(common, (at) => compareWords(preA[at] ?? "", preB[at] ?? "")) || preA.length - preB.length;
}

function partsOf(version: string): [core: string[], pre: string[]] {
  const [core = "", ...pre] = version.split("-");
  return [core.split("."), pre.length === 0 ? [] : pre.join("-").split(".")];
}

function firstDifference(count: number, difference: (at: number) => number): number {
  for (let at = 0; at < count; at += 1) {
    const found = difference(at);
    if (found !== 0) return found;
  }
  return 0;
}

/** Orders numbers by their value, and before words. */
function compareWords(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}
