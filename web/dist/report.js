import{a as k}from"./shared-index.js";import{d as g}from"./shared-sheets.js";import"./shared-undo.js";import{a as R,c as S,e as L}from"./shared-arrange.js";import"./shared-rows.js";import{g as P}from"./shared-chart.js";import{b as C,g as f,n as j}from"./shared-format.js";import{b as p}from"./shared-api.js";import"./shared-preact.js";import{f as O}from"./shared-text.js";import"./shared-runtime.js";var $=1e3,q=400,r=o=>o.replace(/[&<>"']/g,n=>`&#${n.charCodeAt(0)};`),z=`body{font:15px/1.5 system-ui,sans-serif;color:#191c1b;max-width:1100px;margin:32px auto;padding:0 20px}
pre{background:#eef0ee;padding:12px;border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere}
.rows{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid #dfe3e0;padding:4px 10px;text-align:left;vertical-align:top;overflow-wrap:anywhere}
.n{text-align:right}.soft,.null{color:#59605d}.warn{background:#fdf3dd;color:#7a4d00;padding:8px 12px;border-radius:8px}
svg{max-width:100%;height:auto}h2{margin-top:36px}@media print{h2,svg{break-inside:avoid}}`,V=o=>new Date(o).toISOString().slice(0,16).replace("T"," ")+" UTC";async function H(o){let n=[];for(let t of o.cells){let e=p("run "+t.id);e?.rows&&n.push(await A(t.name,O(t.sql),e))}let a=Object.entries(o.values).filter(([,t])=>t!=="").map(([t,e])=>`<code>$${r(t)}</code> = ${r(e)}`).join(", ");return`<!doctype html><html lang="en"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>${r(g(o))}</title><style>${z}</style>
<h1>${r(g(o))}</h1>
<p class="soft">Saved ${V(Date.now())} by da.${a&&` With ${a}.`}</p>
${n.join(`
`)||"<p>No statement has been run.</p>"}</html>
`}async function A(o,n,a){let t=a.rows,e=a.at,i=p("look "+e),l=i?.part??{words:"",where:[]},c=p("whole "+e)?.result,m=c&&await L(c,l,0,$,new AbortController().signal),b=m?m.rows:R(t,l),d=m?m.found:b.length,u=i?.places??t.columns.map((s,h)=>h),y=u.map(s=>t.columns[s]),w=b.map(s=>u.map(h=>s[h]??null)),x=[...l.where.map(s=>S(s,t.columns)),...l.words.trim()?[`"${l.words}"`]:[]],N=(c?.caveats??t.caveats).map(s=>`<p class="warn">${r(C(s.text))}</p>`).join(""),v=Math.min(w.length,$),T=[`${f(d)} ${d===1?"row":"rows"}${t.more&&!c?" (the first of more)":""}`,...x.length?[`only with ${x.join(", ")}`]:[],...v<d?[`${f(v)} are here`]:[]];return`<h2>${r(o)}</h2><pre>${r(n)}</pre>${N}
<p class="soft">${r(T.join("; "))}. Run ${V(Number(e))}.</p>
${i?.view==="chart"?await K(y,w,p("chart "+e+u.join())):""}
${D(y,w.slice(0,$))}`}function D(o,n){let a=(t,e)=>t===null?'<td class="null">NULL</td>':`<td${e.numeric?' class="n"':""}>${r(j(t,e).slice(0,q))}</td>`;return`<div class="rows"><table><thead><tr>${o.map(t=>`<th${t.numeric?' class="n"':""}>${r(t.name)}</th>`).join("")}</tr></thead><tbody>${n.map(t=>`<tr>${t.map((e,i)=>a(e,o[i])).join("")}</tr>`).join(`
`)}</tbody></table></div>`}async function K(o,n,a=P(o,n)){let t=document.body.appendChild(document.createElement("div"));t.style.cssText="position:absolute;left:-2000px;width:960px";try{let e=await k(t,o,n,a),i=await e.svg("");return e.end(),i}finally{t.remove()}}export{r as escaped,H as report};
