"""The page of an audit: one file, no network, light and dark; keys y and n decide, accepted lines are saved as CSV."""

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5d6b7e;--line:#dfe4ea;--card:#fff;--back:#f5f6f8;--go:#1a7f4b;
--stop:#b3403a;--blue:#2459c4;--chip:#eef1f5}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa7b8;--line:#2c3542;--card:#1a212b;--back:#12171e;
--go:#4cc38a;--stop:#f2827b;--blue:#8db4ff;--chip:#252e3a}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:54rem;margin:0 auto;padding:1.5rem 1rem 6rem}
h1{font-size:1.5rem;margin:.5rem 0}
.lead{color:var(--soft);margin:0 0 1.5rem}
article{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.9rem 1.1rem;margin:0 0 .9rem}
article:focus{outline:2px solid var(--blue)}
article header{display:flex;gap:.8rem;align-items:baseline;flex-wrap:wrap}
h2{font-size:1.1rem;margin:0}
.new{color:var(--blue);font-weight:600}
.score{margin-left:auto;font-variant-numeric:tabular-nums;padding:0 .5rem;border-radius:.3rem;
background:linear-gradient(90deg,color-mix(in srgb,var(--blue) 30%,transparent) calc(var(--s)*100%),transparent 0)}
p{margin:.35rem 0}
p:empty{display:none}
.tag,.word{display:inline-block;background:var(--chip);border-radius:.3rem;padding:.05rem .45rem;
margin:0 .3rem .25rem 0;font-size:.85rem}
.word{background:none;border:1px solid var(--line)}
.speaks{box-shadow:inset 0 0 0 1px var(--blue)}
ul{margin:.3rem 0;padding-left:1.1rem;color:var(--soft);font-size:.92rem}
li b{color:var(--ink);font-weight:600}
li i{font-style:normal;font-variant-numeric:tabular-nums}
button{font:inherit;border:1px solid var(--line);background:none;color:var(--ink);border-radius:.4rem;
padding:.15rem .8rem;margin-right:.5rem;cursor:pointer}
article.yes{border-color:var(--go)}article.yes .yes{background:var(--go);color:var(--card)}
article.no{opacity:.55}article.no .no{background:var(--stop);color:var(--card)}
footer{position:fixed;inset:auto 0 0 0;background:var(--card);border-top:1px solid var(--line);padding:.7rem 1rem;
display:flex;gap:1rem;justify-content:center;align-items:center}
"""

_SCRIPT = """
const cards=[...document.querySelectorAll('article')];
const quote=text=>'"'+text.replaceAll('"','""')+'"';
function decide(card,choice){
  const same=card.classList.contains(choice);
  card.classList.remove('yes','no');
  if(!same)card.classList.add(choice);
  const yes=cards.filter(c=>c.classList.contains('yes')).length,no=cards.filter(c=>c.classList.contains('no')).length;
  document.getElementById('tally').textContent=`${yes} accepted, ${no} rejected, ${cards.length-yes-no} open`;
}
cards.forEach((card,place)=>{
  card.querySelector('.yes').onclick=()=>decide(card,'yes');
  card.querySelector('.no').onclick=()=>decide(card,'no');
  card.onkeydown=event=>{
    const choice={y:'yes',n:'no'}[event.key];
    if(choice){decide(card,choice);(cards[place+1]||card).focus();}
    if(event.key==='j')(cards[place+1]||card).focus();
    if(event.key==='k')(cards[place-1]||card).focus();
  };
});
document.getElementById('save').onclick=()=>{
  const lines=cards.filter(c=>c.className).map(c=>[quote(c.dataset.row),quote(c.dataset.label),c.className].join(','));
  const link=document.createElement('a');
  link.href=URL.createObjectURL(new Blob(['row,label,accept\\n'+lines.join('\\n')+'\\n'],{type:'text/csv'}));
  link.download='reviewed.csv';
  link.click();
};
"""

PAGE = (
    """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>{title}</title><style>"""
    + _STYLE.replace("{", "{{").replace("}", "}}")
    + """</style></head><body><main>
<h1>{title}</h1>
<p class="lead">{count} suggestions, best first, each scored by a model that never saw its row. Below each: the labels
it has, those that speak for the new one outlined, the features that speak for it, and the nearest rows that carry it.
Keys: y accepts, n rejects, j and k move.</p>
{cards}
</main><footer><span id="tally">nothing decided yet</span><button id="save">save decisions as CSV</button></footer>
<script>"""
    + _SCRIPT.replace("{", "{{").replace("}", "}}")
    + """</script></body></html>
"""
)
