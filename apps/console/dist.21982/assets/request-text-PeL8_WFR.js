function e(e){return Object.entries(e).map(([e,t])=>`${e}: ${t}`).join(`
`)}function t({method:e,url:t,headers:r,body:i}){return[`curl -X ${e} ${n(t)}`,...Object.entries(r).map(([e,t])=>`-H ${n(`${e}: ${t}`)}`),`--data-binary ${n(i)}`].join(` \\
  `)}function n(e){return`'${e.replaceAll(`'`,String.raw`'\''`)}'`}export{e as n,t};