import { access, constants, stat, statfs } from "node:fs/promises";
import { connect } from "node:net";
import { resolve } from "node:path";
import { checkName, tunnelFault } from "../../platform/outbound-http/outbound-http.ts";
import { failed, ok, skipped, warning } from "./checks.ts";
import type { Check } from "./checks.ts";
import type { MachineSettings } from "./command.ts";
import { answersAsJunction, listeningFault } from "./listening.ts";
import { databaseHome, originalOf } from "../../platform/db/db.ts";
import type { DatabaseHome } from "../../platform/db/db.ts";
import { masterKeyIn } from "./master-key.ts";
import { isLoopback } from "../../lib/lib.ts";

const GIBIBYTE = 1024 ** 3;
const LOW_BYTES = 2 * GIBIBYTE;
const FULL_BYTES = GIBIBYTE / 4;
const CONNECT_MS = 5000;
/** The number of addresses of a name that a delivery tries. */
const TRIED_ADDRESSES = 3;

export async function portCheck({ host, port }: MachineSettings): Promise<Check> {
  const fault = await listeningFault(host, port);
  if (fault === undefined) return ok("port", `${host}:${port} is free. The service is not running yet.`);
  if (fault === "EADDRINUSE")
    return (await answersAsJunction(host, port))
      ? ok("port", `Junction is running at ${host}:${port}.`)
      : failed("port", {
          detail: `Another program listens on ${host}:${port}.`,
          cause: "Only one program at a time can use a port.",
          fix: `Stop that program (\`ss -ltnp 'sport = :${port}'\` names it), or set JUNCTION_PORT to another port.`,
        });
  return failed("port", {
    detail: `The service cannot listen on ${host}:${port}: ${fault}.`,
    cause:
      fault === "EACCES"
        ? "Ports below 1024 require administrator rights."
        : "The address does not belong to this machine.",
    fix: "Set JUNCTION_PORT to 1024 or more, or JUNCTION_HOST to an address of this machine.",
  });
}

export async function dataFolderCheck({ dataDir, isExternal }: MachineSettings): Promise<Check> {
  const folder = resolve(dataDir);
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined)
    return isExternal
      ? ok("data_folder", `${folder} does not exist yet. The database is external.`)
      : skipped("data_folder", `${folder} does not exist. No service has been started with this data folder yet.`);
  const isWritable = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable || !found.isDirectory())
    return failed("data_folder", {
      detail: `This user cannot write to ${folder}.`,
      cause: "The folder belongs to another user, or its disk is mounted read-only.",
      fix: "Make the user that runs Junction its owner, or set JUNCTION_DATA_DIR to another folder.",
    });
  const place = isExternal ? undefined : databaseHome(folder);
  const original = place === undefined ? undefined : originalOf(place);
  if (place !== undefined && original !== undefined) return copyFault(place, original);
  return await spaceCheck(place ?? { dataDir: folder, home: folder });
}

function copyFault({ dataDir, home }: DatabaseHome, original: string): Check {
  return failed("data_folder", {
    detail: `${dataDir} is a copy of ${original}; the database of both is ${home}.`,
    cause:
      "The data folder stores only the path of its database, so a copy of the folder is not a copy of the database.",
    fix: "Run `junction backup` with the original, then `junction restore` with an empty data folder.",
  });
}

/** Checks the free space of the disk that the database is on. */
async function spaceCheck({ dataDir, home }: DatabaseHome): Promise<Check> {
  if (home !== dataDir && !(await isThere(home)))
    return failed("data_folder", {
      detail: `The database of ${dataDir} is in ${home}, which does not exist.`,
      cause: "The folder was deleted or is not mounted, or the data folder comes from another machine.",
      fix: "Put the folder back, or restore a backup into an empty data folder.",
    });
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const space = `${(free / GIBIBYTE).toFixed(1)} GiB free`;
  const detail =
    home === dataDir
      ? `${dataDir} is writable, with ${space}.`
      : `${dataDir} is writable. Its database is in ${home}, with ${space}.`;
  if (free >= LOW_BYTES) return ok("data_folder", detail);
  const fault = {
    detail,
    cause: "The database stops when its disk is full.",
    fix: "Free space, use a larger disk, or lower JUNCTION_RETENTION_DAYS.",
  };
  return free >= FULL_BYTES ? warning("data_folder", fault) : failed("data_folder", fault);
}

async function isThere(folder: string): Promise<boolean> {
  return await stat(folder).then(
    () => true,
    () => false,
  );
}

export async function masterKeyCheck({ masterKey, dataDir }: MachineSettings): Promise<Check> {
  if (masterKey !== null) return ok("master_key", "The master key comes from JUNCTION_MASTER_KEY.");
  const key = await masterKeyIn(dataDir);
  if (key === undefined) return skipped("master_key", "There is no master key yet. The first start generates it.");
  const path = resolve(dataDir, "master.key");
  const { mode } = await stat(path);
  if (process.platform === "win32" || (mode & 0o077) === 0)
    return ok("master_key", `The master key is in ${path}, and only its owner can read it.`);
  return failed("master_key", {
    detail: `Other users can read ${path}.`,
    cause: "Anyone with the master key and the database can decrypt every secret.",
    fix: `Run: chmod 600 ${path}`,
  });
}

/** Checks the address that links and inbound URLs begin with. Its reachability can be checked only from outside. */
export async function baseUrlCheck({ baseUrl, host }: MachineSettings): Promise<Check> {
  const { protocol, hostname } = new URL(baseUrl);
  const isLocal = isLoopback(hostname);
  if (isLocal && !isLoopback(host))
    return warning("base_url", {
      detail: `${baseUrl} is an address that only this machine knows, and the service listens at ${host}.`,
      cause: "Links, inbound URLs and problem types start with this address, so they do not work on other machines.",
      fix: "Set JUNCTION_BASE_URL to the address that others reach this service at.",
    });
  if (!isLocal && protocol === "http:")
    return warning("base_url", {
      detail: `${baseUrl} is not https.`,
      cause: "Keys and signatures would be sent over the network unencrypted. The SDKs refuse to send them.",
      fix: "Put a proxy with a certificate in front of the service, and set JUNCTION_BASE_URL to its https address.",
    });
  return await Promise.resolve(ok("base_url", baseUrl));
}

/**
 * Checks that deliveries can leave: connects to each target at the addresses that a delivery would use, and closes the
 * connection at once.
 */
export async function egressCheck(settings: MachineSettings, targets: readonly string[]): Promise<Check> {
  if (targets.length === 0)
    return skipped("egress", "There is no https endpoint to test yet. Set a target with --egress <host:port>.");
  const faults = await Promise.all(
    targets.map(async (target) => ({ target, fault: await reachFault(target, settings) })),
  );
  const lost = faults.filter(({ fault }) => fault !== undefined);
  if (lost.length === 0) return ok("egress", `Reached ${targets.join(", ")}.`);
  const fault = {
    detail: lost.map(({ target, fault: why }) => `${target}: ${why?.text ?? ""}`).join("; "),
    cause: lost.some(({ fault: why }) => why?.isName === true)
      ? "The service's resolver cannot find the name. See the check `public_name`."
      : "A firewall blocks the connection, a route is missing, or the receiver is down. Deliveries use JUNCTION_EGRESS_PROXY, and no other proxy settings of the environment.",
    fix: "Allow outgoing connections to port 443. Set JUNCTION_DNS_SERVERS if the service must use another resolver than the system's.",
  };
  return lost.length < targets.length ? warning("egress", fault) : failed("egress", fault);
}

interface ReachFault {
  readonly text: string;
  /** True if the name did not resolve, so that no connection was tried. */
  readonly isName: boolean;
}

async function reachFault(target: string, settings: MachineSettings): Promise<ReachFault | undefined> {
  const at = target.lastIndexOf(":");
  const [host, port] = at > 0 ? [target.slice(0, at), Number(target.slice(at + 1))] : [target, 443];
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return { text: "this is not host:port", isName: false };
  const name = host.replaceAll(/^\[|\]$/g, "");
  const { resolution } = await checkName(name, settings.dnsServers);
  if (resolution.failure !== null) return { text: resolution.failure, isName: true };
  let text: string | undefined;
  for (const address of resolution.addresses.slice(0, TRIED_ADDRESSES)) {
    text = await wayFault(settings, { host: name, address, port });
    if (text === undefined) return undefined;
  }
  return { text: text ?? "", isName: false };
}

/** Returns why the address cannot be reached in the way of a delivery: through the proxy, or directly. */
async function wayFault(
  { egress }: MachineSettings,
  target: { readonly host: string; readonly address: string; readonly port: number },
): Promise<string | undefined> {
  const tunnel = egress === null ? undefined : await tunnelFault(egress, { ...target, timeoutMs: CONNECT_MS });
  return tunnel?.isDirect === false ? tunnel.fault : await connectFault(target.address, target.port);
}

async function connectFault(host: string, port: number): Promise<string | undefined> {
  return await new Promise((settle) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    socket.once("connect", () => settle(undefined));
    socket.once("timeout", () => settle("no response within 5 s"));
    socket.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    socket.once("connect", () => socket.destroy()).once("timeout", () => socket.destroy());
  });
}
