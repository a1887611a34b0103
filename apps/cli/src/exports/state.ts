import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";
import { PROGRESS, readWhole, writeWhole } from "./folder.ts";

/** The owner of the data of an export. */
export interface Owner {
  readonly workspace: string;
  readonly environment: string;
  readonly tenant: string | null;
}

export interface DoneFile {
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** The place after which a file continues. */
export interface Mark {
  readonly cursor: string | null;
  /** The number of objects whose further objects were all read. */
  readonly passed: number;
}

/** How far an export is. It is stored after each write, so that the same command continues from there. */
export interface State extends Owner {
  readonly version: 1;
  /** Objects created before this time are exported, as RFC 3339. */
  readonly until: string;
  readonly files: Record<string, DoneFile>;
  readonly refused: Record<string, string>;
  /** The month of each kind that is next; null if there is none. */
  readonly months: Record<string, string | null>;
  current: ({ readonly file: string; readonly records: number; readonly bytes: number } & Mark) | null;
}

/** Returns the state of an export that was interrupted; undefined for a new one. Throws if it is of another owner. */
export async function readState(folder: string, owner: Owner): Promise<State | undefined> {
  const state = (await readWhole(folder, PROGRESS)) as State | undefined;
  if (state === undefined) return undefined;
  const isSame =
    state.workspace === owner.workspace && state.environment === owner.environment && state.tenant === owner.tenant;
  if (state.version === 1 && isSame) return state;
  throw new CommandError(
    `${folder} has an export of another workspace, environment or tenant: name another folder.`,
    EXIT.data,
  );
}

export async function writeState(folder: string, state: State): Promise<void> {
  await writeWhole(folder, PROGRESS, state);
}
