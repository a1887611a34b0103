import { parseJson, pointerOf } from "../lib/lib.ts";
import type { Violation } from "../lib/lib.ts";
import { listOf, recordOf } from "./kinds/documents.ts";
import type { Document } from "./kinds/documents.ts";
import type { Kind } from "./kinds/kind.ts";
import { SETTINGS_NAME } from "./kinds/settings.ts";

/** An object of a configuration that a caller sent. */
export interface SentObject {
  readonly name: string;
  readonly renamedFrom: string | undefined;
  readonly document: Document;
  readonly place: readonly (string | number)[];
}

/** Returns the objects of a section. Undefined if the file leaves the section out, so that it is not managed. */
export function sentObjects(
  { section, identity, exact = [] }: Kind,
  configuration: Document,
): readonly SentObject[] | undefined {
  const part = configuration[section];
  if (part === undefined) return undefined;
  if (section === "settings")
    return [
      {
        name: SETTINGS_NAME,
        renamedFrom: undefined,
        document: recordOf(plain(part)),
        place: ["configuration", section],
      },
    ];
  return listOf(part).map((one, at) => {
    const { renamed_from: renamedFrom, ...members } = recordOf(one);
    const document = Object.fromEntries(
      Object.entries(members).map(([name, value]) => [name, exact.includes(name) ? value : plain(value)]),
    );
    return {
      name: String(document[identity]),
      renamedFrom: typeof renamedFrom === "string" ? renamedFrom : undefined,
      document,
      place: ["configuration", section, at],
    };
  });
}

/** Returns the value with usual numbers: `5.0` is 5. */
function plain(value: unknown): unknown {
  return parseJson(JSON.stringify(value));
}

/** Returns the faults of names: doubled ones, and renames from a name that another object of the file has or takes. */
export function nameFaults({ identity }: Kind, wanted: readonly SentObject[]): Violation[] {
  const names = new Set(wanted.map(({ name }) => name));
  const seen = new Set<string>();
  const sources = new Set<string>();
  return wanted.flatMap(({ name, renamedFrom, place }) => {
    const faults: Violation[] = [];
    if (seen.has(name)) faults.push(fault([...place, identity], "duplicate", "must not repeat that of another object"));
    seen.add(name);
    if (renamedFrom === undefined) return faults;
    if (names.has(renamedFrom))
      faults.push(
        fault([...place, "renamed_from"], "circular", "must not be the name of an object in this configuration"),
      );
    if (sources.has(renamedFrom))
      faults.push(fault([...place, "renamed_from"], "duplicate", "must not repeat that of another object"));
    sources.add(renamedFrom);
    return faults;
  });
}

export function fault(place: readonly (string | number)[], code: string, message: string): Violation {
  return { pointer: pointerOf(place), code, message };
}
