import{A as e,M as t}from"./shell-DWIQmvte.js";import{p as n}from"./plain-CuhwETy9.js";import{a as r,r as i}from"./choice-rE57yMkQ.js";import{t as a}from"./tag-input--_r5_FZj.js";import{t as o}from"./tabs-BIEL4mDR.js";import{n as s}from"./badge-CPYs1shv.js";import{t as c}from"./plus-DYO0DeVW.js";import{$n as l,L as u,Mn as d,N as f,P as p,Qn as m,a as h,i as g,mr as _,pr as v}from"./index-CTalk2NU.js";import{t as y}from"./event-names-BioACyys.js";import{t as b}from"./field-message-BjvrG2Ty.js";var x=m(),S={green:{tone:`good`,word:`Healthy`},amber:{tone:`warn`,word:`Failing`},red:{tone:`bad`,word:`Turned off by the service`}};function C({endpoint:e}){let{tone:t,word:n}=w(e);return(0,x.jsx)(s,{tone:t,children:n})}function w(e){return e.disabled_reason===null?e.active?S[e.health]??{tone:`neutral`,word:e.health}:{tone:`neutral`,word:`Off`}:{tone:`bad`,word:`Turned off by the service`}}function T(e){return e===`gone`?`The receiver responded 410 Gone, so the service turned the endpoint off. When the receiver accepts deliveries again, turn the endpoint on and replay the failed deliveries.`:`All attempts of the last five days failed, so the service turned the endpoint off. Fix the receiver, turn the endpoint on, and replay the failed deliveries.`}function E({endpoint:e,children:n}){let i=t().may(`webhook_endpoints.toggle`),a=d(`webhook_endpoints.toggle`,{refreshes:[`webhook_endpoints.`]});return(0,x.jsx)(r,{isSelected:e.active,isDisabled:!i||a.isPending,onChange:()=>a.mutate({path:{id:e.id}},{onSuccess:({active:e})=>g(e?`Endpoint turned on. Pending deliveries are sent.`:`Endpoint turned off. New events are not delivered to it.`),onError:h}),children:n})}var D=`[redacted]`,O={url:``,takes:`all`,events:[],description:``,headers:[],rate:``,inFlight:`16`},k=[`/url`,`/events`,`/description`,`/headers`,`/rate_limit_per_second`,`/max_in_flight`];function A(e){let t=e.events.length===1&&e.events[0]===`*`;return{url:e.url,takes:t?`all`:`some`,events:t?[]:e.events,description:e.description,headers:Object.keys(e.headers).map((e,t)=>({key:t,name:e,value:``,isHidden:!0})),rate:e.rate_limit_per_second===null?``:String(e.rate_limit_per_second),inFlight:String(e.max_in_flight)}}function j(e){return{url:e.url.trim(),events:e.takes===`all`?[`*`]:[...e.events],description:e.description,headers:Object.fromEntries(e.headers.filter(({name:e})=>e.trim()!==``).map(({name:e,value:t,isHidden:n})=>[e.trim(),n&&t===``?D:t])),rate_limit_per_second:e.rate.trim()===``?null:Number(e.rate),max_in_flight:Number(e.inFlight)}}function M({draft:e,onChange:t,error:r,isNew:o=!1}){let s=y(),c=n=>t({...e,...n});return(0,x.jsxs)(`div`,{className:`flex flex-col gap-4`,children:[(0,x.jsx)(n,{label:`URL`,description:`A public https URL that accepts POST requests.`,placeholder:`https://hooks.example.com/junction`,value:e.url,onChange:e=>c({url:e}),isRequired:!0,autoFocus:o,mono:!0,error:b(r,`/url`)}),(0,x.jsx)(i,{label:`Event types`,value:e.takes,onChange:e=>c({takes:e}),options:[{value:`all`,label:`All event types`,detail:`Includes event types added later. System events must be selected by name.`},{value:`some`,label:`Selected event types`,detail:`Select them by name, or by a pattern such as order.*.`}],...e.takes===`all`?{error:b(r,`/events`)}:{}}),e.takes===`all`?null:(0,x.jsx)(a,{label:`Selected event types`,values:e.events,onChange:e=>c({events:e}),suggestions:s.options,placeholder:`order.created`,...P(b(r,`/events`))}),(0,x.jsx)(n,{label:`Description`,description:`What receives the events, and who is responsible.`,value:e.description,onChange:e=>c({description:e}),isRequired:!1,error:b(r,`/description`)}),(0,x.jsx)(N,{headers:e.headers,onChange:e=>c({headers:e}),error:b(r,`/headers`)}),(0,x.jsxs)(`div`,{className:`grid gap-4 sm:grid-cols-2`,children:[(0,x.jsx)(n,{label:`Rate limit (attempts per second)`,description:`Leave empty for no limit.`,inputMode:`numeric`,isRequired:!1,value:e.rate,onChange:e=>c({rate:e}),error:b(r,`/rate_limit_per_second`)}),(0,x.jsx)(n,{label:`Maximum concurrent attempts`,description:`Attempts that can run at the same time.`,inputMode:`numeric`,value:e.inFlight,onChange:e=>c({inFlight:e}),error:b(r,`/max_in_flight`)})]})]})}function N({headers:e,onChange:t,error:r}){let i=(n,r)=>t(e.map(e=>e.key===n?{...e,...r}:e)),a=Math.max(0,...e.map(e=>e.key+1));return(0,x.jsxs)(`fieldset`,{className:`flex flex-col gap-2`,children:[(0,x.jsxs)(`legend`,{className:`pb-1 text-sm font-medium`,children:[`Custom headers `,(0,x.jsx)(`span`,{className:`font-normal text-faint`,children:`(optional)`})]}),e.some(({isHidden:e})=>e)?(0,x.jsx)(`p`,{className:`text-xs text-muted`,children:`Stored values are hidden. Leave a value empty to keep it. If you change the URL, enter the values again.`}):null,e.map(({key:r,name:a,value:o,isHidden:s},c)=>(0,x.jsxs)(`div`,{className:`grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-end gap-2`,children:[(0,x.jsx)(n,{label:`Header ${c+1}`,value:a,onChange:e=>i(r,{name:e}),mono:!0,placeholder:`Authorization`}),(0,x.jsx)(n,{label:`Value ${c+1}`,value:o,onChange:e=>i(r,{value:e}),mono:!0,placeholder:s?`Hidden`:``}),(0,x.jsx)(p,{label:`Remove header ${c+1}`,onPress:()=>t(e.filter(e=>e.key!==r)),children:(0,x.jsx)(u,{"aria-hidden":!0,size:15})})]},r)),r===void 0?null:(0,x.jsx)(`p`,{role:`alert`,className:`text-xs text-bad`,children:r}),(0,x.jsx)(`div`,{children:(0,x.jsx)(f,{size:`sm`,icon:(0,x.jsx)(c,{"aria-hidden":!0,size:14}),onPress:()=>t([...e,{key:a,name:``,value:``,isHidden:!1}]),children:`Add header`})})]})}function P(e){return e===void 0?{}:{error:e}}var F=_(v(),1),I=`import express from "express";
import { webhooks } from "${l}";

const app = express();

// Put this before express.json(): the signatures cover the raw bytes of the body.
app.post("/webhooks", webhooks.express(process.env.WEBHOOK_SECRET), (request, response) => {
  console.log(request.junction.event, request.junction.delivery_id);
  response.sendStatus(204);
});

app.listen(3000);`,L=`import os

from junction_sdk import WebhookVerificationError, webhooks


def receive(body: bytes, headers: dict[str, str]) -> int:
    try:
        event = webhooks.verify(body, headers, os.environ["WEBHOOK_SECRET"])
    except WebhookVerificationError as error:
        print("refused:", error.reason)
        return 400
    print(event.event, event.delivery_id, event.data)
    return 200`,R=`<?php // receive.php

require 'vendor/autoload.php';

use Junction\\Exception\\WebhookVerificationException;
use Junction\\Webhooks;

try {
    $message = Webhooks::verify(file_get_contents('php://input'), getallheaders(), getenv('WEBHOOK_SECRET'));
} catch (WebhookVerificationException $refusal) {
    http_response_code(401);
    exit($refusal->reason);
}

error_log("{$message->deliveryId} {$message->event}");
echo 'ok';`;function z(){let[t,n]=(0,F.useState)(`node`);return(0,x.jsx)(o,{label:`Language`,selected:t,onSelect:n,tabs:[{id:`node`,label:`Node`,content:(0,x.jsx)(e,{label:`Verify in Node`,text:I})},{id:`python`,label:`Python`,content:(0,x.jsx)(e,{label:`Verify in Python`,text:L})},{id:`php`,label:`PHP`,content:(0,x.jsx)(e,{label:`Verify in PHP`,text:R})}]})}export{k as a,C as c,A as i,T as l,M as n,O as o,j as r,E as s,z as t};