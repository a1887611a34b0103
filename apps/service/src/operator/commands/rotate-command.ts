import { CommandError } from "../../../../../packages/command-line/src/command-line.ts";
import type { TellProgress } from "../backup/backup.ts";
import { scopesOfAll } from "../../accounts/accounts.ts";
import { fingerprintOf } from "../../lib/lib.ts";
import { outcomeOf } from "./command.ts";
import type { CommandResult, DatabaseLocation, InstallationServices } from "./command.ts";
import { masterKeyIn } from "./master-key.ts";
import { servingProcesses } from "./reseal.store.ts";
import { rotateMasterKey } from "./rotation.ts";
import type { Rotation } from "./rotation.ts";

/** The characters of a fingerprint that are shown, enough to distinguish keys. */
const SHOWN = 8;
const CHAINS_AT_ONCE = 100;

/**
 * Encrypts all values of earlier master keys with the current one. Prints only a part of the key's fingerprint, never a
 * key.
 */
export async function rotated(
  site: InstallationServices,
  place: DatabaseLocation,
  tell: TellProgress,
): Promise<CommandResult> {
  const masterKey = place.masterKey ?? (await masterKeyIn(place.dataDir));
  const previous = place.previousMasterKeys.filter((key) => masterKey === undefined || !masterKey.equals(key));
  if (masterKey === undefined || previous.length === 0)
    throw new CommandError(
      "Set JUNCTION_MASTER_KEY to the new master key, and JUNCTION_MASTER_KEY_PREVIOUS to the previous one, for this command and for every process of the service.",
    );
  await assertSameMasterKey(site, masterKey);
  const rotation = await rotateMasterKey({
    db: site.db,
    masterKey,
    previous,
    columns: site.encryptedColumns,
    tell,
  });
  const left = Object.values(rotation.unreadable).reduce((sum, count) => sum + count, 0);
  // The audit log redacts the workspaces' secrets, and refuses to write if it cannot decrypt them.
  if (left === 0) await record(site, masterKey, rotation);
  const answer = {
    object: "master_key_rotation",
    key_fingerprint: fingerprintOf(masterKey).slice(0, SHOWN),
    resealed: rotation.resealed,
    sealed: rotation.sealed,
    unreadable: rotation.unreadable,
    complete: rotation.isComplete,
    next: nextStep(rotation, left),
  };
  return outcomeOf(answer, rotation.isComplete ? 0 : 1);
}

function nextStep({ isComplete }: Rotation, unreadable: number): string {
  if (isComplete)
    return "Start every process without JUNCTION_MASTER_KEY_PREVIOUS. Keep the old key for as long as you keep backups from before the rotation.";
  if (unreadable > 0)
    return "Neither key decrypts some values, and they were left unchanged. Add the key that encrypted them to JUNCTION_MASTER_KEY_PREVIOUS, then run this command again.";
  return "Values were written with the old key during the rotation. Start every process with the new JUNCTION_MASTER_KEY, then run this command again.";
}

/**
 * Throws if a running process has another key: it could not decrypt the new values, or would keep encrypting with the
 * old key.
 */
async function assertSameMasterKey({ db }: InstallationServices, masterKey: Uint8Array): Promise<void> {
  const mark = fingerprintOf(masterKey);
  const others = (await servingProcesses(db.query)).filter((found) => found !== mark);
  if (others.length > 0)
    throw new CommandError(
      `Nothing was changed: other processes use this database with a different master key (connections: ${others.length}). Start each process with JUNCTION_MASTER_KEY set to the new key and JUNCTION_MASTER_KEY_PREVIOUS set to the old one, then run this command again.`,
    );
}

/** Records the rotation in the audit log of each workspace, because the key belongs to the whole installation. */
async function record({ db, audit }: InstallationServices, masterKey: Uint8Array, rotation: Rotation): Promise<void> {
  const scopes = (await scopesOfAll(db.query)).filter(({ scope }) => scope.environment === "live");
  const parameters = {
    fingerprint: fingerprintOf(masterKey).slice(0, SHOWN),
    resealed: rotation.resealed,
    complete: rotation.isComplete,
  };
  for (let at = 0; at < scopes.length; at += CHAINS_AT_ONCE)
    await db.transaction(async (tx) => {
      for (const { scope } of scopes.slice(at, at + CHAINS_AT_ONCE))
        audit.telling.note(tx, scope, { subject: "workspace", action: "master_key.rotate", actor: null, parameters });
      await Promise.resolve();
    });
}
