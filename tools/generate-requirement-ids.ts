import { readFileSync, writeFileSync } from "node:fs";

interface Requirement {
  readonly id: string;
}

/** The text of `requirements/ids.generated.ts`: the ids as a literal union, so a mistyped id does not compile. */
export function idsModule(requirements: readonly Requirement[]): string {
  const members = requirements.map(({ id }) => `  | ${JSON.stringify(id)}`);
  return [
    "// Generated from requirements/requirements.json by `node tools/generate-requirement-ids.ts`.",
    `export type RequirementId =\n${members.join("\n")};`,
    "",
  ].join("\n");
}

if (import.meta.main) {
  const source = new URL("../requirements/requirements.json", import.meta.url);
  const target = new URL("../requirements/ids.generated.ts", import.meta.url);
  const requirements = JSON.parse(readFileSync(source, "utf8")) as readonly Requirement[];
  writeFileSync(target, idsModule(requirements));
}
