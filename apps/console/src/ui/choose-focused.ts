import type { KeyboardEvent } from "react";

/**
 * Handles a key in the input of an `Autocomplete`: Enter chooses the option that looks focused. React Aria gives Enter to the option that
 * it announced last. While the user types fast, that one can be gone already, and Enter does nothing.
 */
export function chooseFocused(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
  const list = document.getElementById(event.currentTarget.getAttribute("aria-controls") ?? "");
  const option = list?.querySelector<HTMLElement>("[data-focused]");
  if (option === null || option === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  option.click();
}
