/** A step as the API has it, or as far as it is written. */
export type RawStep = Readonly<Record<string, unknown>>;

/** A list of steps inside a step. */
export interface InnerList {
  readonly label: string;
  readonly steps: readonly RawStep[];
}

/** Returns the branches of a step, or the steps of its loop. */
export function innerOf({ type, branches, steps }: RawStep): readonly InnerList[] {
  if (type === "for_each") return [{ label: "For each item", steps: stepsIn(steps) }];
  if (type !== "parallel" || !Array.isArray(branches)) return [];
  return branches.map((list: unknown, at) => ({ label: `Branch ${at + 1}`, steps: stepsIn(list) }));
}

function stepsIn(list: unknown): readonly RawStep[] {
  return Array.isArray(list) ? list.filter((step): step is RawStep => typeof step === "object" && step !== null) : [];
}

/** Returns whether a step, or one inside it, is a webhook with headers. */
export function sendsHeaders(step: object): boolean {
  const raw: RawStep = { ...step };
  const isOwn = raw["type"] === "webhook" && raw["headers"] !== undefined;
  return isOwn || innerOf(raw).some(({ steps }) => steps.some(sendsHeaders));
}
