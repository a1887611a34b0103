export type { ConnectorAuthorEnvironment, Command, Host, CommandResult, DatabaseLocation } from "./commands/command.ts";
export { commandOf, USAGE } from "./commands/commands.ts";
export { answersAsJunction, listeningFault } from "./commands/listening.ts";
export { keptMasterKey } from "./commands/master-key.ts";
export { firstStart } from "./commands/setup.ts";
export { ConfigError } from "./config-error.ts";
export type { SelfTest } from "./self-test/self-test.ts";
