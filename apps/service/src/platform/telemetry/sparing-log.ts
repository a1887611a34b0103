import type pino from "pino";
import { isRecord, systemClock } from "../../lib/lib.ts";
import { createSparing } from "./sparing.ts";

/** Leaves out what repeats. */
export function sparingly(): NonNullable<NonNullable<pino.LoggerOptions["hooks"]>["logMethod"]> {
  const judge = createSparing(systemClock.monotonicMs);
  return function write(args, method) {
    const [fields, message] = args as unknown[];
    if (!isRecord(fields) || fields["err"] === undefined) {
      method.apply(this, args);
      return;
    }
    const verdict = judge(String(message), { ...fields, err: fields["err"] });
    if (verdict.kind === "none") return;
    const repeated = verdict.repeated === 0 ? {} : { repeated: verdict.repeated };
    const err = verdict.kind === "whole" ? fields["err"] : withoutStack(fields["err"]);
    method.apply(this, [{ ...fields, err, ...repeated }, String(message)]);
  };
}

function withoutStack(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const brief: Error = Object.assign(new Error(error.message), { name: error.name });
  delete brief.stack;
  return brief;
}
