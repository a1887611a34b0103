import { fillTransform } from "./template.ts";
import type { Transformed, TransformInput } from "./template.ts";
import { createCompiledTransforms } from "./transform.ts";

/** Runs a transformation, which is JSON text. */
export type RunTransform = (text: string, input: TransformInput) => Promise<Transformed>;

export interface TransformRunner {
  run: RunTransform;
}

export function createTransformRunner(): TransformRunner {
  const compiled = createCompiledTransforms();
  return { run: async (text, input) => await Promise.resolve(fillTransform(compiled.of(text), input)) };
}
