import { Ellipsis } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { IconButton } from "./button.tsx";
import { cx } from "./class-names.ts";

export interface MenuAction {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onAction: () => void;
}

export interface MenuProps {
  /** Said of the menu, and of its button where that is the three dots. */
  readonly label: string;
  readonly actions: readonly MenuAction[];
  /** A button of React Aria; without it three dots. */
  readonly trigger?: ReactElement;
}

export function Menu({ label, actions, trigger }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger ?? (
        <IconButton label={label} size="sm">
          <Ellipsis aria-hidden size={16} />
        </IconButton>
      )}
      <Popover className="anim-pop min-w-44 rounded-lg bg-raised shadow-pop">
        <AriaMenu aria-label={label} className="max-h-80 overflow-auto p-1 outline-none">
          {actions.map((action) => (
            <MenuItem
              key={action.id}
              id={action.id}
              textValue={action.label}
              isDisabled={action.isDisabled ?? false}
              onAction={action.onAction}
              className={cx(
                "flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-base outline-none data-[disabled]:opacity-50 data-[focused]:bg-hover",
                action.isDangerous === true && "text-bad",
              )}
            >
              {action.icon}
              {action.label}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
