// For the build and for editors; types in components are taken away by Svelte itself.
export default {};
