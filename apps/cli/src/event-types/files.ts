import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import type { Context } from "../command.ts";
import { objectIn, textOf } from "../data.ts";
import { EXIT } from "../exit.ts";

export interface TypeFile {
  readonly path: string;
  readonly type: Readonly<Record<string, unknown>> & { readonly name: string };
}

export interface Pulled {
  readonly create: readonly string[];
  readonly update: readonly string[];
  readonly remove: readonly string[];
}

/** The members of a file, in the order in which they are written. */
const MEMBERS = [
  "name",
  "version",
  "title",
  "description",
  "enforcement",
  "visibility",
  "deprecated",
  "schema",
  "examples",
];

/** Reads every `.json` file of a folder. Throws `CommandError`. */
export async function readTypes(context: Context, folder: string): Promise<TypeFile[]> {
  const files = await readdir(folder).catch((error: unknown): never => {
    throw new CommandError(`${folder} cannot be read: ${(error as Error).message}`, EXIT.data);
  });
  return await Promise.all(
    files
      .filter((file) => file.endsWith(".json"))
      .toSorted()
      .map(async (file) => {
        const path = join(folder, file);
        const type = objectIn(await textOf(context, path), path);
        const { name } = type;
        if (typeof name !== "string") throw new CommandError(`${path} must have the member name.`, EXIT.data);
        return { path, type: { ...type, name } };
      }),
  );
}

/** Writes one file for each type. A type that has a file keeps its name, and a file that is equal is not written. */
export async function writeTypes(
  context: Context,
  folder: string,
  { types, prune }: { readonly types: readonly TypeFile["type"][]; readonly prune: boolean },
): Promise<Pulled> {
  await mkdir(folder, { recursive: true });
  const files = await readTypes(context, folder);
  for (const file of files) assertType(file);
  const known = new Map(files.map((file) => [file.type.name, file]));
  if (known.size < files.length)
    throw new CommandError(`Two files in ${folder} have the same type. Delete one of them.`, EXIT.data);
  const create = types.filter(({ name }) => !known.has(name));
  const update = types.filter((type) => isChanged(type, known.get(type.name)));
  const names = new Set(types.map(({ name }) => name));
  const remove = prune ? files.filter(({ type }) => !names.has(type.name)) : [];
  const taken = new Set(files.map(({ path }) => path.toLowerCase()));
  for (const type of [...create, ...update])
    await writeFile(known.get(type.name)?.path ?? newPath(folder, type.name, taken), textOfType(type));
  for (const { path } of remove) await rm(path);
  const named = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  return { create: named(create), update: named(update), remove: named(remove.map(({ type }) => type)) };
}

/** Refuses a file that only looks like a type, such as `package.json`. */
function assertType({ path, type }: TypeFile): void {
  const other = Object.keys(type).find((member) => !MEMBERS.includes(member));
  if (other !== undefined)
    throw new CommandError(
      `${path} is not an event type: it has the member ${other}. Choose another folder.`,
      EXIT.data,
    );
}

function isChanged(type: TypeFile["type"], file: TypeFile | undefined): boolean {
  return file !== undefined && JSON.stringify(inOrder(type)) !== JSON.stringify(inOrder(file.type));
}

function textOfType(type: TypeFile["type"]): string {
  return `${JSON.stringify(inOrder(type), null, 2)}\n`;
}

function inOrder(type: TypeFile["type"]): object {
  return Object.fromEntries(MEMBERS.flatMap((member) => (member in type ? [[member, type[member]]] : [])));
}

/** Returns a path that no other type has, also where upper and lower case are the same. */
function newPath(folder: string, name: string, taken: Set<string>): string {
  const base = join(folder, encodeURIComponent(name));
  let path = `${base}.json`;
  for (let number = 2; taken.has(path.toLowerCase()); number += 1) path = `${base}~${number}.json`;
  taken.add(path.toLowerCase());
  return path;
}
