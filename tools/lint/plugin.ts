import { consoleModulesRule } from "./console-modules.ts";
import { fileNamesRule } from "./file-names.ts";
import { frontDoorRule } from "./front-door.ts";
import { glossaryNamesRule } from "./glossary-names.ts";
import { linearPatternsRule } from "./linear-patterns.ts";
import { moduleOrderRule } from "./module-order.ts";
import { noExemptionsRule } from "./no-exemptions.ts";
import { roomOrderRule } from "./room-order.ts";
import { storedJsonRule } from "./stored-json.ts";
import { suffixRolesRule } from "./suffix-roles.ts";

/** The house rules of ARCHITECTURE.md, as an oxlint plugin. */
export default {
  meta: { name: "junction" },
  rules: {
    "console-modules": consoleModulesRule,
    "file-names": fileNamesRule,
    "front-door": frontDoorRule,
    "glossary-names": glossaryNamesRule,
    "linear-patterns": linearPatternsRule,
    "module-order": moduleOrderRule,
    "no-exemptions": noExemptionsRule,
    "room-order": roomOrderRule,
    "stored-json": storedJsonRule,
    "suffix-roles": suffixRolesRule,
  },
};
