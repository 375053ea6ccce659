/** Style sheets are bundled by the build. */
declare module "*.css";

/** One with all that it imports, as a text. */
declare module "*.css?text" {
  const text: string;
  export default text;
}
