import { Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { IconButton, Menu } from "../ui/ui.ts";

type Theme = "system" | "light" | "dark";

const STORED = "junction.theme";
const ICONS = { system: Monitor, light: Sun, dark: Moon };
const listeners = new Set<() => void>();

export function ThemeSwitch() {
  const theme = useSyncExternalStore(subscribe, currentTheme);
  const Icon = ICONS[theme];
  return (
    <Menu
      label="Theme"
      trigger={
        <IconButton label={`Theme: ${theme}`}>
          <Icon aria-hidden size={17} />
        </IconButton>
      }
      actions={(["system", "light", "dark"] as const).map((one) => {
        const ItemIcon = ICONS[one];
        return {
          id: one,
          label: one.slice(0, 1).toUpperCase() + one.slice(1),
          icon: <ItemIcon aria-hidden size={15} />,
          onAction: () => setTheme(one),
        };
      })}
    />
  );
}

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

function setTheme(theme: Theme): void {
  if (theme === "system") {
    delete document.documentElement.dataset["theme"];
    localStorage.removeItem(STORED);
  } else {
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem(STORED, theme);
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
