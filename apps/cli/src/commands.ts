import type { Command } from "./command.ts";
import { accountCommands } from "./commands/account.ts";

/** Every command, in the order in which the help shows them. */
export const commands: readonly Command[] = [...accountCommands];
