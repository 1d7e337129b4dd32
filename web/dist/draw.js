import{a}from"./shared-index.js";import"./shared-chart.js";import"./shared-format.js";import"./shared-api.js";import"./shared-preact.js";import"./shared-runtime.js";export{a as draw};
