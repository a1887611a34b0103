import type { Tag } from "../../lib/lib.ts";
import { runScript } from "./transform-script.ts";
import type { ScriptRunner } from "./transform-script.ts";
import { fillTransform } from "./transform-template.ts";
import type { Transformed, TransformInput } from "./transform-template.ts";
import { createCompiledTransforms } from "./transform.ts";

/** A transformation, which is JSON text, and the workspace, environment and tenant that it belongs to. */
export interface OwnedTransform {
  readonly tag: Tag;
  readonly tenant: string | null;
  readonly text: string;
}

/** The transformation of an endpoint, as it is in the database now. */
export interface EndpointTransform {
  /** JSON text. */
  readonly text: string;
  /** The tenant of the endpoint; null for the workspace itself. */
  readonly tenant: string | null;
  readonly version: number;
}

export type TransformRunner = ReturnType<typeof createTransformRunner>;

export function createTransformRunner(scripts: () => ScriptRunner) {
  const compiled = createCompiledTransforms();
  return {
    /** Never throws for anything that the transformation does. Throws ScriptsBusyError. */
    async run({ tag, tenant, text }: OwnedTransform, input: TransformInput): Promise<Transformed> {
      const transform = compiled.of(text);
      if (transform.kind === "template") return fillTransform(transform, input);
      return await runScript(scripts(), { tag, tenant, source: transform.source }, input);
    },
    /** Returns why the script of a transformation cannot be run; undefined if it can, and for a template. */
    async fault({ tag, tenant, text }: OwnedTransform): Promise<string | undefined> {
      const transform = compiled.of(text);
      return transform.kind === "script" ? await scripts().fault({ tag, tenant, source: transform.source }) : undefined;
    },
  };
}
