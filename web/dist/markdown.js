import{b as a}from"./shared-marked.esm.js";import"./shared-hooks.js";import"./shared-preact.js";import"./shared-runtime.js";export{a as Markdown};
