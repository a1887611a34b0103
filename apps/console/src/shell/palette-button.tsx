import { Search } from "lucide-react";
import { Button } from "react-aria-components";
import { showOverlay } from "./overlays.ts";
import { commandKey } from "./key-names.ts";

/** Looks like a search field and opens the palette, which is one. */
export function PaletteButton() {
  return (
    <Button
      onPress={() => showOverlay("palette")}
      className="flex h-8.5 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-sm text-muted shadow-card data-[hovered]:border-line-strong sm:w-72"
    >
      <Search aria-hidden size={15} />
      <span className="flex-1 truncate text-left max-sm:sr-only">Find anything</span>
      <kbd aria-hidden className="rounded border border-line bg-sunken px-1.5 text-2xs max-sm:hidden">
        {commandKey}K
      </kbd>
    </Button>
  );
}
