import type { CommandForm } from "./usage.ts";

// Each command is loaded by its name, because all of them together load the whole service.
const people = async () => await import("./people-commands.ts");
const connectors = async () => await import("./connector-commands.ts");
const maintenance = async () => await import("./operator-commands.ts");
const authors = async () => await import("./author-commands.ts");

/** The forms of all commands. The usage shows those of one heading in this order. */
export const COMMANDS: readonly CommandForm[] = [
  {
    name: "workspace create",
    usage: ["--name <name> --owner-email <email>"],
    runs: "always",
    load: async () => (await people()).workspaceCreate,
  },
  {
    name: "workspace sandbox-key",
    usage: ["[--name <name>]"],
    runs: "always",
    load: async () => (await people()).workspaceSandboxKey,
  },
  {
    name: "workspace allow-passwords",
    usage: ["--workspace <id>"],
    runs: "always",
    load: async () => (await people()).workspaceAllowPasswords,
  },
  {
    name: "member reset-link",
    usage: ["--email <email> [--clear-totp]"],
    runs: "always",
    load: async () => (await people()).memberResetLink,
  },
  {
    name: "member unlink",
    usage: ["--email <email>"],
    runs: "always",
    load: async () => (await people()).memberUnlink,
  },
  {
    name: "connector trust",
    usage: [
      "",
      "--name <name> --public-key <file or base64> [--connectors <key,key>] [--development]",
      "--revoke <key id>",
    ],
    runs: "always",
    load: async () => (await connectors()).connectorTrust,
  },
  {
    name: "connector keygen",
    usage: ["--name <name> [--out <folder>]"],
    runs: "files",
    load: async () => (await connectors()).connectorKeygen,
  },
  {
    name: "connector sign",
    usage: ["<folder> --key <private key file> [--second-key <private key file>]"],
    runs: "files",
    takesSubject: true,
    load: async () => (await connectors()).connectorSign,
  },
  {
    name: "connector verify",
    usage: ["<folder> --public-key <file or base64>"],
    runs: "files",
    takesSubject: true,
    load: async () => (await connectors()).connectorVerify,
  },
  {
    name: "connector pack",
    usage: ["<folder> --public-key <file or base64> [--out <folder>]"],
    runs: "files",
    takesSubject: true,
    load: async () => (await connectors()).connectorPack,
  },
  {
    name: "backup",
    usage: ["[--out <file>] [--include-master-key]"],
    runs: "always",
    load: async () => (await maintenance()).backup,
  },
  {
    name: "migrate",
    usage: [""],
    runs: "always",
    load: async () => (await maintenance()).migration,
  },
  {
    name: "setup link",
    usage: [""],
    runs: "always",
    load: async () => (await maintenance()).setupLink,
  },
  {
    name: "master-key rotate",
    usage: [""],
    runs: "always",
    load: async () => (await maintenance()).masterKeyRotate,
  },
  {
    name: "doctor",
    usage: ["[--egress <host:port,host:port>] [--public-name <name>|none]"],
    runs: "always",
    load: async () => (await import("./doctor.ts")).doctorCommand,
  },
  {
    name: "distribute",
    usage: ["[--dry-run] [--shards <n>]"],
    runs: "stopped",
    load: async () => (await maintenance()).distribution,
  },
  {
    name: "restore",
    usage: ["<file> [--force]"],
    runs: "stopped",
    takesSubject: true,
    wrongWords: "restore requires exactly one file.",
    load: async () => (await maintenance()).restore,
  },
  {
    name: "connector create",
    usage: ["<key> --runtime <ts or php> [--out <folder>]"],
    runs: "files",
    takesSubject: true,
    wrongWords: '"connector create" requires one key.',
    load: async () => (await authors()).connectorCreate,
  },
  {
    name: "connector test",
    usage: ["<folder> [--json]"],
    runs: "files",
    takesSubject: true,
    wrongWords: '"connector test" requires one folder.',
    load: async () => (await authors()).connectorTest,
  },
  {
    name: "connector dev",
    usage: ["<folder> [--key <development key, created if missing>] [--settings <JSON file>]"],
    runs: "development",
    takesSubject: true,
    wrongWords: '"connector dev" requires one folder.',
    load: async () => (await authors()).connectorDev,
  },
];
