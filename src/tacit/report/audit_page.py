"""The page of an audit: one file, no network; keys y and n decide, accepted lines are saved as CSV."""

from collections.abc import Sequence

from tacit.report.page import shell
from tacit.report.plain import page_text as escape

_STYLE = """
main{max-width:54rem;padding-bottom:6rem}
article{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:.9rem 1.1rem;margin:0 0 .9rem}
article:focus{outline:2px solid var(--a)}
article header{display:flex;gap:.8rem;align-items:baseline;flex-wrap:wrap}
article h2{font-size:1.1rem;margin:0;padding:0;border:0}
article p{margin:.35rem 0}
article p:empty{display:none}
.new{color:var(--a);font-weight:600}
.score{margin-left:auto;font-variant-numeric:tabular-nums;padding:0 .5rem;border-radius:.3rem;
background:linear-gradient(90deg,color-mix(in srgb,var(--a) 30%,transparent) calc(var(--s)*100%),transparent 0)}
.tag,.word{display:inline-block;border:1px solid var(--rule);border-radius:999px;padding:.05rem .55rem;
margin:0 .3rem .25rem 0;font:.85rem/1.4 system-ui,sans-serif}
.tag{background:var(--paper)}
.speaks{background:var(--hit);border-color:var(--a);font-weight:600}
article ul{margin:.3rem 0;padding-left:1.1rem;color:var(--soft);font-size:.92rem}
li b{color:var(--ink);font-weight:600}
li i{font-style:normal;font-variant-numeric:tabular-nums}
button{font:.95rem system-ui,sans-serif;border:1px solid var(--rule);background:none;color:var(--ink);
border-radius:.4rem;padding:.15rem .8rem;margin-right:.5rem;cursor:pointer}
button:focus-visible{outline:2px solid var(--a)}
article.yes{border-color:var(--d)}article.yes .yes{background:var(--d);color:var(--card)}
article.no{opacity:.55}article.no .no{background:var(--b);color:var(--card)}
body>footer{position:fixed;inset:auto 0 0 0;background:var(--card);border-top:1px solid var(--rule);padding:.7rem 1rem;
display:flex;gap:1rem;justify-content:center;align-items:center}
@media print{button,body>footer{display:none}}
"""

_SCRIPT = """
const cards=[...document.querySelectorAll('article')];
const harmless=text=>/^ *[=+@\\t\\r-]/.test(text)&&isNaN(text)?"'"+text:text;
const quote=text=>'"'+harmless(text).replaceAll('"','""')+'"';
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


def page(title: str, cards: Sequence[str]) -> str:
    """The cards, which are HTML already, as one page in the look of all others."""
    return shell(
        title,
        f"<main><h1>{escape(title)}</h1>"
        f'<p class="lead">{len(cards)} suggestions, best first, each scored by a model that never saw its row. Below '
        "each: the labels it has, those that speak for the new one outlined, the features that speak for it, and the "
        "nearest rows that carry it. Keys: y accepts, n rejects, j and k move.</p>"
        + "\n".join(cards)
        + '</main><footer><span id="tally" aria-live="polite">nothing decided yet</span>'
        '<button id="save">save decisions as CSV</button></footer>',
        style=_STYLE,
        script=_SCRIPT,
    )
