import { t } from "../../lib/lib.ts";

/** Headers of a request or a response. */
export const headersSchema = (example: Record<string, string>, description: string, of: object = {}) =>
  t.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string", ...of },
    description,
    examples: [example],
  });
