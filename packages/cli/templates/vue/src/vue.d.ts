/** TypeScript does not read .vue files: this is the type of each. */
declare module "*.vue" {
  const component: import("vue").Component;
  export default component;
}
