// Applies the stored choice of colours before the first paint; web/src/theme.rs keeps it.

try {
  const theme = localStorage.getItem("palimpsest.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage is refused: the system's colours.
}
