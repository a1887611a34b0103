/**
 * Members of `process` that affect other processes or end this one. Node's permission model does not cover all of them.
 */
const REACHING = [
  "_debugEnd",
  "_debugProcess",
  "_getActiveHandles",
  "_getActiveRequests",
  "_kill",
  "_linkedBinding",
  "_rawDebug",
  "abort",
  "binding",
  "chdir",
  "dlopen",
  "execve",
  "exit",
  "getBuiltinModule",
  "initgroups",
  "kill",
  "loadEnvFile",
  "mainModule",
  "openStdin",
  "reallyExit",
  "report",
  "setegid",
  "seteuid",
  "setgid",
  "setgroups",
  "setuid",
  "stderr",
  "stdin",
  "stdout",
  "umask",
] as const;

/** Globals that Node's permission model would refuse later, with a less clear message. */
const NETWORK = ["EventSource", "WebSocket", "fetch"] as const;

/**
 * Replaces `process` by one that only describes the platform. Call it after everything needed was taken from the
 * original.
 */
export function lockDown(): void {
  const nodeProcess = globalThis.process;
  const { arch, platform, version, versions, nextTick, hrtime, uptime } = nodeProcess;
  const harmless = { arch, platform, version, versions: { ...versions }, argv: [], env: {}, nextTick, hrtime, uptime };
  for (const name of REACHING) fix(nodeProcess, name, undefined);
  fix(nodeProcess, "env", Object.freeze({}));
  fix(nodeProcess, "argv", Object.freeze([]));
  fix(nodeProcess, "execArgv", Object.freeze([]));
  for (const name of NETWORK) fix(globalThis, name, refuse(name));
  fix(globalThis, "process", Object.freeze(harmless));
}

function fix(on: object, name: string, value: unknown): void {
  Object.defineProperty(on, name, { value, enumerable: false, writable: false, configurable: false });
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(`${name} is not there for connectors: call this.http() instead.`);
  };
}
