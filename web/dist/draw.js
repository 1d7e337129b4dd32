import{a}from"./shared-index.js";import"./shared-choice.js";import"./shared-format.js";import"./shared-runtime.js";export{a as draw};
