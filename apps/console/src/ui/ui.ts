export { Badge, StatusLight } from "./badge.tsx";
export type { Tone } from "./badge.tsx";
export { Button, IconButton } from "./button.tsx";
export type { ButtonProps } from "./button.tsx";
export { Checkbox, ComboBox, RadioGroup, Select, Switch } from "./choice.tsx";
export type { Option } from "./choice.tsx";
export { cx } from "./class-names.ts";
export { Code, CodeBlock } from "./code.tsx";
export { CopyButton, copyText } from "./copy.tsx";
export { ConfirmDialog, Dialog } from "./dialog.tsx";
export { TextField } from "./field.tsx";
export { Card, KeyValue, PageHeader } from "./layout.tsx";
export type { KeyValueRow } from "./layout.tsx";
export { ExternalLink, Link } from "./link.tsx";
export { Logo } from "./logo.tsx";
export { Menu } from "./menu.tsx";
export type { MenuAction } from "./menu.tsx";
export { Spinner } from "./spinner.tsx";
export {
  EmptyState,
  ErrorNote,
  ErrorState,
  Loaded,
  LoadedPages,
  messageOf,
  NoPermission,
  Skeleton,
} from "./states.tsx";
export { Tabs } from "./tabs.tsx";
export type { TabItem } from "./tabs.tsx";
export { AbsoluteTime, RelativeTime, relativeText, useNow } from "./time.tsx";
export { useTitle } from "./title.ts";
export { toast, toastError, ToastRegion } from "./toast.tsx";
export { HintTooltip, Tooltip } from "./tooltip.tsx";
export { useFilters, usePathParameter, useUrlState } from "./url-state.ts";
export type { Filters } from "./url-state.ts";
