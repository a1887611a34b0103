import { Monitor, Moon, Sun } from "lucide-react";
import { createStore } from "../api/api.ts";
import { IconButton, Menu } from "../ui/ui.ts";

type Theme = "system" | "light" | "dark";

const STORED = "junction.theme";
const ICONS = { system: Monitor, light: Sun, dark: Moon };
const chosen = createStore(currentTheme());

export function ThemeSwitch() {
  const theme = chosen.useValue();
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
  chosen.set(theme);
}
