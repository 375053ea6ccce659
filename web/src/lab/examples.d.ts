/** The scenarios of examples/scenarios, put together when the page is built. */
declare module "faircast:examples" {
  const examples: { name: string; about: string; text: string }[];
  export default examples;
}

declare module "*.css";
