import { importsBetween, modules, sourceFiles } from "./imports.ts";

const BEGIN = "<!-- modules: begin -->";
const END = "<!-- modules: end -->";

/**
 * A Mermaid graph of the modules. An arrow is an import; one that follows from others is left out. Tests are left out too: they import
 * what they are made of.
 */
function graph(): string {
  const files = sourceFiles().filter((path) => !path.endsWith(".test.ts") && !path.includes("/testing/"));
  const direct = new Map<string, Set<string>>(modules.map((name) => [name, new Set()]));
  for (const { from, to } of importsBetween(files)) direct.get(from)?.add(to);
  const reaches = (from: string, to: string): boolean =>
    [...(direct.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  const arrows = modules.toReversed().flatMap((from) => {
    const all = [...(direct.get(from) ?? [])];
    const own = all.filter((to) => !all.some((other) => other !== to && reaches(other, to)));
    return modules.filter((to) => own.includes(to)).map((to) => `  ${from} --> ${to}`);
  });
  return ["```mermaid", "flowchart TB", ...arrows, "```"].join("\n");
}

/** The page with the graph as the imports give it. */
export function withPicture(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`ARCHITECTURE.md has no ${BEGIN} and ${END}.`);
  return `${before}${BEGIN}\n\n${graph()}\n\n${END}${after}`;
}
