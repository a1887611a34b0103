// Runs before the first paint: the theme that the reader chose in the console is used here too.
try {
  const theme = localStorage.getItem("junction.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the theme is that of the system.
}
