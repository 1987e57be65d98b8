// Read by the build and by editors. Svelte itself strips the types in components.
export default {};
