import { HANDLED, readContractFile, UNDO } from "../../actions/actions.ts";
import type { ContractInput, Reach } from "../../actions/actions.ts";
import { addressed } from "./connector-backend.ts";
import { readDescription } from "./description.ts";
import type { Description } from "./description.ts";
import type { Files } from "./folder.ts";
import {
  CONNECTOR_KEY,
  digestOf,
  MANIFEST,
  readManifest,
  readSignatures,
  assertMatchesManifest,
  SIGNATURE,
} from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { parseFile } from "./json-file.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";
import { readSettingsForm } from "./settings-form.ts";
import type { SettingsForm } from "./settings-form.ts";
import { isSignedBy } from "./signing-key.ts";
import { standingOf } from "./trust.ts";
import type { Trust } from "./trust.ts";

/** The parsed contents of a folder, independent of its signature. */
export interface Contents {
  readonly description: Description;
  readonly actions: readonly ContractInput[];
  readonly settings: SettingsForm;
}

/** A folder with a valid signature: its bytes, and its parsed contents. */
export interface Package extends Contents {
  readonly key: string;
  readonly digest: string;
  readonly manifest: Manifest;
  /** The trusted keys whose signatures are valid. */
  readonly signers: readonly string[];
  readonly files: Files;
}

const CODE_FILES = { php: "connector.php", ts: "connector.ts" } as const;
const MAX_ACTIONS = 50;

/**
 * Verifies a folder by its name. The signature is checked first, because unsigned content cannot be trusted. Throws
 * ConnectorRefusedError.
 */
export function readPackage(name: string, files: Files, trust: Trust): Package {
  assertValidKey(name);
  const manifestBytes = files.get(MANIFEST);
  const signatureBytes = files.get(SIGNATURE);
  if (manifestBytes === undefined || signatureBytes === undefined)
    throw new ConnectorRefusedError(
      "unsigned",
      "The folder is not signed. Sign it with connector sign.",
      manifestBytes === undefined ? MANIFEST : SIGNATURE,
    );
  const signers = signersOf(manifestBytes, signatureBytes, trust);
  const manifest = readManifest(manifestBytes);
  if (manifest.key !== name)
    throw new ConnectorRefusedError(
      "connector_key_mismatch",
      `The folder contains the connector ${manifest.key}, and must have the same name.`,
    );
  const standing = standingOf(trust, manifest.key, signers);
  if (standing.kind === "untrusted") throw new ConnectorRefusedError(standing.code, standing.message, SIGNATURE);
  assertMatchesManifest(manifest, files);
  const contents = readContents(name, files);
  if (contents.description.version !== manifest.version)
    throw new ConnectorRefusedError(
      "version_mismatch",
      "connector.json and MANIFEST.json contain different versions.",
      "connector.json",
    );
  return { key: name, digest: digestOf(manifestBytes), manifest, signers, files, ...contents };
}

/** Reads a folder that may not be signed yet. Throws ConnectorRefusedError. */
export function readContents(key: string, files: Files): Contents {
  assertValidKey(key);
  const settings = readSettingsForm(needed(files, "settings.json"));
  const description = readDescription(needed(files, "connector.json"), settings);
  assertOneCodeFile(description, files);
  return { description, settings, actions: readActions(key, needed(files, "actions.json"), description) };
}

/**
 * Requires that each signature by a known key is valid. Otherwise an edited manifest would look like one with an
 * unknown key.
 */
function signersOf(manifest: Buffer, signature: Buffer, trust: Trust): string[] {
  const known = readSignatures(signature).filter(({ keyId }) => trust.has(keyId));
  for (const { keyId, bytes } of known) {
    const key = trust.get(keyId);
    if (key === undefined || !isSignedBy(manifest, bytes, key.publicKey))
      throw new ConnectorRefusedError("manifest_edited", "The manifest differs from what was signed.", MANIFEST);
  }
  return known.map(({ keyId }) => keyId);
}

function assertValidKey(name: string): void {
  if (!CONNECTOR_KEY.test(name))
    throw new ConnectorRefusedError(
      "connector_key_malformed",
      "The name of a connector's folder must be lower-case words joined by -, with at most 40 characters.",
    );
}

function needed(files: Files, path: string): Buffer {
  const bytes = files.get(path);
  if (bytes === undefined)
    throw new ConnectorRefusedError("file_missing", "This required file of the connector does not exist.", path);
  return bytes;
}

/** Requires exactly one code file, in the connector's language. */
function assertOneCodeFile({ runtime }: Description, files: Files): void {
  const present = Object.values(CODE_FILES).filter((path) => files.has(path));
  if (present.length > 1)
    throw new ConnectorRefusedError(
      "class_ambiguous",
      "The connector must have connector.php or connector.ts, but not both.",
      present[1] ?? null,
    );
  const source = files.get(CODE_FILES[runtime])?.toString("utf8");
  if (source === undefined)
    throw new ConnectorRefusedError(
      "class_missing",
      `The runtime is ${runtime}, so the class must be in ${CODE_FILES[runtime]}.`,
      CODE_FILES[runtime],
    );
  if (!/\bclass\s+\w+\s+extends\s+[\w\\]*\bAbstractConnector\b/.test(source))
    throw new ConnectorRefusedError(
      "class_missing",
      "The file must contain a class that extends AbstractConnector.",
      CODE_FILES[runtime],
    );
}

/** Reads contracts as POST /v1/action-contracts accepts them, within the connector's permissions. */
function readActions(key: string, bytes: Buffer, { egress }: Description): ContractInput[] {
  const list = parseFile(bytes, "actions_malformed", "actions.json");
  if (!Array.isArray(list) || list.length > MAX_ACTIONS)
    throw wrong("", `must be an array of at most ${MAX_ACTIONS} action contracts`);
  const namespace = `${key.replaceAll("-", "_")}.`;
  const contracts = list.map((one: unknown, at) => {
    const read = readContractFile(addressed(key, one));
    if (read.kind === "contract") {
      if (!read.contract.key.startsWith(namespace)) throw wrong(`/${at}/key`, `must begin with ${namespace}`);
      assertWithinReach(read.reach, { at, namespace, egress });
      assertOwnHandler(key, read.contract, at);
      return read.contract;
    }
    const [fault] = read.faults;
    throw wrong(`/${at}${fault?.pointer ?? ""}`, fault?.message ?? "is not a contract");
  });
  const twice = contracts.findIndex((one, at) => contracts.findIndex((other) => other.key === one.key) < at);
  if (twice >= 0) throw wrong(`/${twice}/key`, "must be unique: two actions have the same key");
  return contracts;
}

interface Bounds {
  readonly at: number;
  readonly namespace: string;
  readonly egress: readonly string[];
}

/**
 * A signature does not permit an action to call other hosts, to use the workspace's other secrets, or to approve
 * itself.
 */
function assertWithinReach({ urls, secretRef, allowedRules }: Reach, { at, namespace, egress }: Bounds): void {
  if (!urls.every((url) => url.startsWith(HANDLED) || isWithin(egress, url)))
    throw wrong(`/${at}`, "must have only addresses on the egress hosts of connector.json");
  if (secretRef !== null && !secretRef.startsWith(namespace))
    throw wrong(`/${at}/auth/secret_ref`, `must begin with ${namespace}`);
  if (allowedRules.length > 0)
    throw wrong(`/${at}/approval/allow_rule`, "must be omitted: only an owner can allow rules to approve");
}

/** An action that the connector's code handles cannot be addressed to another connector, and needs no credential. */
function assertOwnHandler(key: string, { endpoint, undo, auth, ...contract }: ContractInput, at: number): void {
  const own = `${HANDLED}${key}/${contract.key}`;
  const foreign = "must be omitted, or be the address of a backend";
  if (isForeign(endpoint, own)) throw wrong(`/${at}/endpoint`, foreign);
  if (isForeign(undo?.endpoint, endpoint + UNDO)) throw wrong(`/${at}/undo/endpoint`, foreign);
  if (endpoint === own && auth !== undefined && auth.type !== "none")
    throw wrong(`/${at}/auth`, "must be omitted for actions without an endpoint");
}

function isForeign(url: string | undefined, own: string): boolean {
  return url?.startsWith(HANDLED) === true && url !== own;
}

function isWithin(egress: readonly string[], url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && egress.includes(parsed.host);
}

function wrong(pointer: string, message: string): ConnectorRefusedError {
  return new ConnectorRefusedError(
    "actions_malformed",
    `actions.json is not valid: ${message}.`,
    `actions.json#${pointer}`,
  );
}
