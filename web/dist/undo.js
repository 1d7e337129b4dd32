import{a,b,c}from"./shared-undo.js";import"./shared-texts-ui.js";import"./shared-store.js";import"./shared-hooks.js";import"./shared-preact.js";export{c as Undo,a as removed,b as tell};
