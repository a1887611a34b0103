const MAX_LENGTH = 64;

/** Functions of models take no dots, keys of contracts no hyphens: so one stands for the other. Null where a model takes no name so long. */
export function toolName(action: string): string | null {
  return action.length > MAX_LENGTH ? null : action.replaceAll(".", "-");
}

/** What the model meant; a name that it invented stays one that nothing has. */
export function actionOf(name: string): string {
  return name.replaceAll("-", ".");
}
