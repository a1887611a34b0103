import { analyse } from "scslre";
import type { Rule } from "./api.ts";

/** Code that runs on users' machines: the applications and the SDK. */
const shipped = /\/(?:apps\/[^/]+\/src|sdks\/node\/src)\//;
const proof = /\.test\.tsx?$|\/testing\//;

/** Requires that a regular expression takes linear time for every text, so that no input can block a process. */
export const linearPatternsRule: Rule = {
  create(context) {
    const path = context.filename.replaceAll("\\", "/");
    if (!shipped.test(path) || proof.test(path)) return {};
    return {
      Literal(node) {
        if (!("regex" in node)) return;
        const { pattern, flags } = node.regex;
        const [report] = analyse({ source: pattern, flags }).reports;
        if (report === undefined) return;
        const message = `This pattern can take ${report.exponential ? "exponential" : "quadratic"} time: ${HOW[report.type]}`;
        context.report({ node, message });
      },
    };
  },
};

const HOW = {
  Move: "begin the run that it looks for where the run begins, by a lookbehind such as (?<!/)/+$.",
  Self: "let no repetition be read in two ways: not (a+)*.",
  Trade: "let two neighbouring repetitions take different characters.",
} as const;
