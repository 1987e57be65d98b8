/** What a component is to TypeScript, which does not look into it. */
declare module "*.vue" {
  const component: import("vue").Component;
  export default component;
}
