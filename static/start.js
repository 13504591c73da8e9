// Starts the page. A file of its own, because the page's security policy allows no inline script; Trunk leaves the
// addresses of the two files to load in the page's preload links (pattern_preload in Trunk.toml).

const address = (selector) => document.querySelector(selector).href;

try {
  const { default: init } = await import(address("link[rel=modulepreload]"));
  await init({ module_or_path: address('link[rel=preload][type="application/wasm"]') });
} catch (error) {
  document.querySelector("#loading").textContent = `Palimpsest cannot start: ${error.message}`;
  throw error;
}
