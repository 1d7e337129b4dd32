import{a,b,c}from"./shared-undo.js";import"./shared-jsxRuntime.js";import"./shared-store.js";import"./shared-preact.js";import"./shared-runtime.js";export{c as Undo,a as removed,b as tell};
