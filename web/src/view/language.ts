/**
 * The language of the browser, made legal: to be imported before uPlot, which formats numbers in it as it is loaded.
 *
 * Where a system is set to the locale C Chromium calls its language `en-US@posix`, which its own formats refuse.
 */

try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
