import { PlainPage } from "../../shell/shell.ts";

export function Screen() {
  return <PlainPage title="This screen is being built.">Soon.</PlainPage>;
}
