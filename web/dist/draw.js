import{a}from"./shared-index.js";import"./shared-choice.js";import"./shared-format.js";import"./shared-values.js";import"./shared-texts-frame.js";import"./shared-preact.js";export{a as draw};
