import type { Rule } from "./api.ts";
import { fileNameOf, placeOf } from "./place.ts";

const allowedName =
  /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\.(?:routes|schemas|store|worker|module|generated))?(?:\.test)?\.ts$/;
const emptyWords = new Set(["util", "utils", "common", "helper", "helpers", "manager", "managers", "base"]);

/** A file is a plain noun or has a role; a name that says nothing is refused. */
export const fileNamesRule: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === undefined) return {};
    return {
      Program(node) {
        if (!allowedName.test(fileNameOf(place))) {
          const message =
            "A file is named after a plain noun in kebab-case, with .routes, .schemas, .store, .worker, .module, .generated or " +
            ".test as its role.";
          context.report({ node, message });
        }
        const empty = place.path.split(/[/.-]/).find((word) => emptyWords.has(word));
        if (empty !== undefined)
          context.report({
            node,
            message: `"${empty}" says nothing: name what the file is about.`,
          });
      },
    };
  },
};
