import{b as a}from"./shared-marked.esm.js";import"./shared-hooks.js";import"./shared-preact.js";export{a as Markdown};
