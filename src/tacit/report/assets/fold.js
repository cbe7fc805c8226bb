// Text that is longer than a few lines is folded, with a button that opens it. The element must stand in the document.
export function fold(root, selector) {
  for (const text of root.querySelectorAll(selector)) {
    if (text.nextElementSibling?.classList.contains("unfold")) continue;
    text.classList.add("folded");
    if (text.scrollHeight <= text.clientHeight + 1) { text.classList.remove("folded"); continue; }
    const button = document.createElement("button");
    const tell = (open) => { button.textContent = open ? "show less" : "show all"; button.setAttribute("aria-expanded", String(open)); };
    button.type = "button";
    button.className = "unfold";
    button.addEventListener("click", () => tell(!text.classList.toggle("folded")));
    tell(false);
    text.after(button);
  }
}
