/** What of `process` reaches beyond this process, or ends it. The permission model of Node does not cover all of it. */
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

/** Globals that would only be refused later, and less clearly. */
const NETWORK = ["EventSource", "WebSocket", "fetch"] as const;

/** Leaves connectors' code a `process` that knows where it runs and can do nothing. Call once all that is needed was taken. */
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
