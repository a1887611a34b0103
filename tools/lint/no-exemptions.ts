import type { Rule } from "./api.ts";

const exemption = /(?:oxlint|eslint)-(?:disable|enable)|@ts-(?:ignore|expect-error|nocheck)/;
// A finding at the comment itself would be silenced by it. Nothing reaches the empty range before the first character.
const beforeEverything = { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } };

/** A rule holds everywhere or is changed for everyone. */
export const noExemptionsRule: Rule = {
  create(context) {
    return {
      Program() {
        for (const { value, loc } of context.sourceCode.getAllComments()) {
          if (!exemption.test(value)) continue;
          const message = `No exemptions (line ${loc.start.line}): change the code, or the rule for everyone.`;
          context.report({ loc: beforeEverything, message });
        }
      },
    };
  },
};
