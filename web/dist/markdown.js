import{a}from"./shared-marked.esm.js";import"./shared-jsxRuntime.js";import"./shared-preact.js";import"./shared-runtime.js";export{a as Markdown};
