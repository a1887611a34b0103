const MAX_LENGTH = 64;

/** Converts a contract's key to a function name: models accept no dots, and keys contain no hyphens. Null if a model would not accept so long a name. */
export function toolName(action: string): string | null {
  return action.length > MAX_LENGTH ? null : action.replaceAll(".", "-");
}

/** Converts a function name back to a contract's key. A name that the model invented matches no contract. */
export function actionOf(name: string): string {
  return name.replaceAll("-", ".");
}
