// This script runs before the first paint, so that the page has the theme that the reader chose in the console.
try {
  const theme = localStorage.getItem("junction.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the page uses the theme of the system.
}
