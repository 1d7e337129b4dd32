// Prints what stands in the sources of the page and should stand in src/texts, and texts that nothing uses.
import fs from "node:fs";
import ts from "../node_modules/typescript/lib/typescript.js";

const said = /^(title|aria-label|placeholder|label|what|does|not|says|empty|none|data-do)$/;
const code = /^(NULL|CSV|JSON|PNG|SVG|da|[a-z]+-[a-z]+)$/; // names, and marks of the page itself
const used = new Map();
const files = fs.readdirSync("src", { recursive: true }).filter(f => /\.tsx?$/.test(f) && !f.startsWith("texts"));
for (const file of files) {
  const text = fs.readFileSync("src/" + file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const part = /import \{ (\w+) as T \} from ".*\/texts\/en\/\1"/.exec(text)?.[1];
  used.set(part, (used.get(part) ?? "") + text);
  const left = (node, words) => {
    if (!/[A-Za-z]{2}/.test(words) || code.test(words.trim())) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    console.log(`src/${file}:${line + 1}: ${JSON.stringify(words.trim())} is not in src/texts`);
  };
  // What is shown of an expression: a text, one of two, or one beside another.
  const shown = e => {
    if (!e) return;
    if (ts.isStringLiteralLike(e)) left(e, e.text);
    else if (ts.isTemplateExpression(e))
      left(e, e.head.text + e.templateSpans.map(s => " " + s.literal.text).join(""));
    else if (ts.isConditionalExpression(e)) [e.whenTrue, e.whenFalse].forEach(shown);
    else if (ts.isParenthesizedExpression(e)) shown(e.expression);
    else if (ts.isBinaryExpression(e) && /^(&&|\|\||\?\?|\+)$/.test(e.operatorToken.getText()))
      [...e.operatorToken.getText() === "&&" ? [] : [e.left], e.right].forEach(shown);
  };
  const visit = node => {
    if (ts.isJsxText(node)) left(node, node.text);
    else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) shown(node.expression);
    else if (ts.isJsxAttribute(node) && said.test(node.name.getText()))
      shown(node.initializer && ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
}
for (const [part, text] of used) {
  if (!part) continue;
  for (const [, key] of fs.readFileSync(`src/texts/en/${part}.ts`, "utf8").matchAll(/^  (\w+):/gm))
    if (!new RegExp(`\\bT\\.${key}\\b` + (text.includes("T[") ? `|"${key}"` : "")).test(text))
      console.log(`src/texts/en/${part}.ts: nothing says ${key}`);
}
